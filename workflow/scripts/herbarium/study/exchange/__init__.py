"""What a study gives away in the forms that others read: of each form a function, plain data in and out."""
