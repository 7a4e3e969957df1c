"""A small server of a tiny model, as vLLM's is asked and answers; and in how many ways one can be wrong."""

import json
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch
import transformers

NAME = "tiny-model"


class Tiny:
    """What the server does. wrong: how it is wrong, see `of_prompt`. failures: status codes, with headers, of the next
    answers. stops_after: how many prompts it answers at all. lies_after: how many it answers honestly. raw: what writes
    the next answers, headers too. key: the one that it wants. seen: the prompts that it has answered."""

    def __init__(self, folder):
        torch.set_num_threads(1)
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
        self.wrong, self.failures, self.stops_after, self.key = None, [], None, None
        self.lies_after, self.raw = None, None
        self.seen, self.headers = [], []
        self.card = {"id": NAME, "object": "model", "created": 0, "owned_by": "vllm", "root": NAME, "max_model_len": 65}
        self.lock = threading.Lock()

    def of_prompt(self, token_ids):
        with self.lock, torch.inference_mode():
            self.seen.append(token_ids)
            self.card["created"] += 1
            logits = self.model(input_ids=torch.tensor([token_ids])).logits[0]
        log_p = torch.log_softmax(logits.double(), dim=-1)
        values = [None]
        for t, token in enumerate(token_ids[1:], 1):
            value, best = log_p[t - 1, token].item(), int(log_p[t - 1].argmax())
            if self.wrong == "lies" or (self.lies_after is not None and len(self.seen) > self.lies_after):
                value -= 0.5
            if self.wrong == "neighbours":
                value -= 0.5 * len(self.seen) % 3
            if self.wrong == "positive":
                value = 0.1
            if self.wrong == "not finite":
                value = float("nan")
            sent = token + 1 if self.wrong == "other tokens" else token
            values.append({str(token): {"logprob": value, "rank": 1} for token in {sent, best} | {sent}})
            values[-1][str(best)] = values[-1][str(best)] if best == sent else {"logprob": log_p[t - 1, best].item()}
        if self.wrong == "truncates":
            values = [None, *values[3:]]
        return None if self.wrong == "silent" else values


@contextmanager
def serve(folder):
    """Serves the model in a folder; gives what it does, with its address in `url`."""
    tiny = Tiny(folder)

    class Handler(BaseHTTPRequestHandler):
        def reply(self, content, status=200, **headers):
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            for name, value in {"Content-Length": len(data), **headers}.items():
                self.send_header(name.replace("_", "-"), str(value))
            self.end_headers()
            self.wfile.write(data)

        def answer(self, make):
            tiny.headers.append(dict(self.headers))
            if tiny.key and self.headers.get("Authorization") != f"Bearer {tiny.key}":
                self.reply({"error": f"no such key: {self.headers.get('Authorization')}"}, 401)
            elif tiny.stops_after is not None and len(tiny.seen) >= tiny.stops_after and self.command == "POST":
                self.reply(b"no more", 400)
            elif tiny.raw:
                with suppress(OSError):  # whoever asked has gone
                    tiny.raw(self.wfile)
                self.close_connection = True
            elif tiny.failures:
                status, headers = tiny.failures.pop(0)
                self.reply(b"busy", status, **headers)
            else:
                self.reply(make())

        def do_GET(self):
            assert self.path == "/v1/models"
            self.answer(lambda: {"object": "list", "data": [tiny.card]})

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert (self.path, asked["model"], asked["max_tokens"]) == ("/v1/completions", NAME, 1)
            if tiny.wrong == "no json":
                self.answer(lambda: b"<html>")
                return
            choice = {"index": 0, "text": "x", "logprobs": None}
            self.answer(lambda: {"choices": [choice | {"prompt_logprobs": tiny.of_prompt(asked["prompt"])}]})

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        tiny.url = f"http://127.0.0.1:{server.server_port}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield tiny
        finally:
            server.shutdown()
            thread.join()
