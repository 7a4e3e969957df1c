"""Architectures beyond the families of the full study, tiny and with random weights."""

import transformers
from tests import conftest

from herbarium.training import untrained

# Sizes by the names that configurations have for them; each takes those that it has.
SIZES = {
    **dict.fromkeys(["hidden_size", "d_model", "n_embd", "emb_dim", "dim", "embedding_size"], 24),
    **dict.fromkeys(["num_hidden_layers", "num_layers", "num_decoder_layers", "n_layer", "n_layers"], 2),
    **dict.fromkeys(["encoder_layers", "decoder_layers", "num_encoder_layers"], 2),
    **dict.fromkeys(["num_attention_heads", "num_key_value_heads", "num_heads", "n_head", "n_heads"], 2),
    **dict.fromkeys(["encoder_attention_heads", "decoder_attention_heads"], 2),
    **dict.fromkeys(["num_encoder_attention_heads", "num_decoder_attention_heads"], 2),
    **dict.fromkeys(["head_dim", "d_kv", "d_head", "attention_head_size"], 12),
    **dict.fromkeys(["intermediate_size", "d_ff", "hidden_dim", "d_inner", "dff", "ffn_dim", "feed_forward_size"], 32),
    **dict.fromkeys(["encoder_ffn_dim", "decoder_ffn_dim"], 32),
    **dict.fromkeys(["moe_intermediate_size", "shared_expert_intermediate_size"], 16),
    **dict.fromkeys(["num_experts", "num_local_experts"], 4),
    "num_experts_per_tok": 2,
    "rotary_dim": 4,
    "state_size": 4,
    **dict.fromkeys(["n_positions", "max_position_embeddings"], 64),
    **conftest.MARKS,
    "decoder_start_token_id": 2,
}
BEHIND = {"max_position_embeddings": 66}  # positions are numbered behind that of the padding token
DECODER = {"is_decoder": True, "is_encoder_decoder": False}
LOCAL = {
    "attn_layers": ["local", "local"],
    "axial_pos_embds": False,
    "local_attn_chunk_length": 8,
    "chunk_size_lm_head": 0,
}

MASKED = {
    "BigBirdForMaskedLM": {"attention_type": "original_full"},
    "ConvBertForMaskedLM": {"head_ratio": 1},
    "Data2VecTextForMaskedLM": BEHIND,
    "DebertaForMaskedLM": {"relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
    "ErnieForMaskedLM": {},
    "EsmForMaskedLM": {**BEHIND, "mask_token_id": 4},
    "EuroBertForMaskedLM": {},
    "FNetForMaskedLM": {},
    "FlaubertWithLMHeadModel": {"n_langs": 1},
    "FunnelForMaskedLM": {"block_sizes": [1, 1]},
    "IBertForMaskedLM": BEHIND,
    "LongformerForMaskedLM": {**BEHIND, "attention_window": [8, 8]},
    "LukeForMaskedLM": {**BEHIND, "entity_vocab_size": 5, "entity_emb_size": 8},
    "MPNetForMaskedLM": BEHIND,
    "MegatronBertForMaskedLM": {},
    "MobileBertForMaskedLM": {"intra_bottleneck_size": 24, "embedding_size": 16},
    "MraForMaskedLM": {},
    "NomicBertForMaskedLM": {},
    "NystromformerForMaskedLM": {},
    "ReformerForMaskedLM": {**LOCAL, "is_decoder": False},
    "RemBertForMaskedLM": {"input_embedding_size": 16, "output_embedding_size": 16},
    "RoFormerForMaskedLM": {},
    "RobertaPreLayerNormForMaskedLM": BEHIND,
    "SqueezeBertForMaskedLM": {},
    "XLMRobertaXLForMaskedLM": BEHIND,
    "XmodForMaskedLM": {**BEHIND, "languages": ["en_XX", "de_DE"], "default_language": "de_DE"},
    "YosoForMaskedLM": {},
}
CAUSAL = {
    "BartForCausalLM": DECODER,
    "BertGenerationDecoder": DECODER,
    "BioGptForCausalLM": {},
    "BlenderbotForCausalLM": DECODER,
    "BloomForCausalLM": {},
    "CTRLLMHeadModel": {},
    "CodeGenForCausalLM": {"n_head": 4},
    "CohereForCausalLM": {},
    "FalconForCausalLM": {},
    "FalconMambaForCausalLM": {},
    "GPTBigCodeForCausalLM": {},
    "GPTJForCausalLM": {},
    "Gemma2ForCausalLM": {},
    "Gemma3ForCausalLM": {},
    "GemmaForCausalLM": {},
    "GlmForCausalLM": {},
    "GptOssForCausalLM": {},
    "GraniteForCausalLM": {},
    "GraniteMoeForCausalLM": {},
    "Lfm2ForCausalLM": {},
    "Mamba2ForCausalLM": {"num_heads": 4, "n_groups": 1},
    "MambaForCausalLM": {},
    "MarianForCausalLM": DECODER,
    "MistralForCausalLM": {},
    "MixtralForCausalLM": {},
    "ModernBertDecoderForCausalLM": {},
    "MptForCausalLM": {},
    "OPTForCausalLM": {"word_embed_proj_dim": 16},
    "Olmo2ForCausalLM": {},
    "OlmoeForCausalLM": {},
    "OpenAIGPTLMHeadModel": {},
    "Phi3ForCausalLM": {},
    "PhiForCausalLM": {},
    "Qwen2MoeForCausalLM": {},
    "Qwen3ForCausalLM": {},
    "Qwen3MoeForCausalLM": {},
    "ReformerModelWithLMHead": {**LOCAL, "is_decoder": True},
    "RoFormerForCausalLM": DECODER,
    "RwkvForCausalLM": {"attention_hidden_size": 24},
    "StableLmForCausalLM": {"num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 24},
    "Starcoder2ForCausalLM": {},
    "XGLMForCausalLM": {"attention_heads": 2},
}
SEQ2SEQ = {
    "BigBirdPegasusForConditionalGeneration": {},
    "BlenderbotForConditionalGeneration": {},
    "BlenderbotSmallForConditionalGeneration": {},
    "FSMTForConditionalGeneration": {"langs": ["en", "de"], "src_vocab_size": 330, "tgt_vocab_size": 330},
    "LEDForConditionalGeneration": {
        "attention_window": 8,
        "max_encoder_position_embeddings": 64,
        "max_decoder_position_embeddings": 64,
    },
    "LongT5ForConditionalGeneration": {},
    "M2M100ForConditionalGeneration": {},
    "MBartForConditionalGeneration": {},
    "MT5ForConditionalGeneration": {},
    "MarianMTModel": {},
    "MvpForConditionalGeneration": {},
    "NllbMoeForConditionalGeneration": {},
    "PLBartForConditionalGeneration": {},
    "PegasusForConditionalGeneration": {},
    "PegasusXForConditionalGeneration": {"block_size": 8, "num_global_tokens": 4},
    "ProphetNetForConditionalGeneration": {},
    "SwitchTransformersForConditionalGeneration": {},
    "UMT5ForConditionalGeneration": {},
}

# Kind: class of the model: what its configuration has besides.
ARCHITECTURES = {"masked": MASKED, "causal": CAUSAL, "seq2seq": SEQ2SEQ}


def write(folder, architecture, **further):
    """A model and a tokenizer in a folder. further: of its configuration, besides what the table says."""
    _, write_tokenizer, *_ = conftest.FAMILIES["roberta"]
    write_tokenizer(folder)
    known = {*vars(getattr(transformers, architecture).config_class()), "decoder_start_token_id"}
    of_table = {name: item for names in ARCHITECTURES.values() for name, item in names.items()}
    sizes = {key: size for key, size in SIZES.items() if key in known} | of_table.get(architecture, {}) | further
    n_tokens = len(conftest.tokenizer_of(folder))
    untrained.model(architecture, sizes, n_tokens, 0, architecture).save_pretrained(folder)
    return folder
