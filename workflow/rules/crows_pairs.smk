"""CrowS-Pairs.

"""


rule observe_crows_pairs:
    """Lay out the scores of CrowS-Pairs by pair and side."""
    input:
        probe="<results>/stimuli/crows_pairs/0.parquet",
        scores="<results>/scores/{model}/crows_pairs.parquet",
    output:
        "<results>/observations/{model}/crows_pairs.parquet",
    log:
        "<logs>/observe_crows_pairs/{model}.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("observe_crows_pairs"),
    script:
        "../scripts/observe_crows_pairs.py"


rule instantiate_crows_pairs_probe:
    """Lay out the sentences of CrowS-Pairs, pair by pair."""
    input:
        CROWS_PAIRS["table"] or [],
    output:
        "<results>/stimuli/crows_pairs/0.parquet",
    log:
        "<logs>/instantiate_crows_pairs_probe.log",
    conda:
        "../../envs/analysis.yaml"
    params:
        code=code("instantiate_crows_pairs_probe"),
    script:
        "../scripts/instantiate_crows_pairs_probe.py"
