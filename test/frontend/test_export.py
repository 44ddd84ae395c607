"""Capture of any module: what an author writes lifts, and what does not says where it stands."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

from octavo.errors import CaptureError, PassError
from octavo.frontend.export import capture, capture_config
from octavo.interpret import evaluate

HEADS, KV_HEADS, HEAD_DIM = 4, 2, 10
WIDTH = HEADS * HEAD_DIM


class RMSNorm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + 0.3 * torch.randn(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mean_square = (x * x).mean(dim=-1, keepdim=True)
        return x * torch.rsqrt(mean_square + 1e-5) * self.weight


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.attention_norm, self.mlp_norm = RMSNorm(), RMSNorm()
        self.qkv = nn.Linear(WIDTH, (HEADS + 2 * KV_HEADS) * HEAD_DIM)
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)
        self.gate, self.up = nn.Linear(WIDTH, 56), nn.Linear(WIDTH, 56)
        self.down = nn.Linear(56, WIDTH)
        self.register_buffer("inv_freq", 100.0 ** -(torch.arange(0, HEAD_DIM, 2) / HEAD_DIM))

    def rotate(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        angles = positions.unsqueeze(-1).float() * self.inv_freq
        table = torch.cat([angles, angles], dim=-1).unsqueeze(2)
        half = x.shape[-1] // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
        return x * table.cos() + turned * table.sin()

    def forward(self, x: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        batch, tokens, _ = x.shape
        sizes = [HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM, KV_HEADS * HEAD_DIM]
        q, k, v = (
            part.view(batch, tokens, -1, HEAD_DIM)
            for part in self.qkv(self.attention_norm(x)).split(sizes, dim=-1)
        )
        q, k = self.rotate(q, positions), self.rotate(k, positions)
        mixed = functional.scaled_dot_product_attention(
            q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True, enable_gqa=True
        )
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, WIDTH))
        y = self.mlp_norm(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class TinyLlama(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(61, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = RMSNorm()
        self.head = nn.Linear(WIDTH, 61, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, positions)
        return self.head(self.norm(x))


class Apply(nn.Module):
    """A function as a module, with one weight."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.randn(8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x, self.weight)


class Spectrum(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        spectrum = torch.fft.rfft(x)
        return spectrum.abs()


@pytest.fixture(autouse=True)
def _torch_seed(rng: np.random.Generator) -> None:
    torch.manual_seed(int(rng.integers(2**31)))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_an_authors_own_llama_lifts_completely(dtype, lift, relative_error) -> None:
    model = TinyLlama().eval()
    tokens = torch.randint(0, 61, (3, 9), dtype=dtype)
    positions = torch.arange(9, dtype=dtype).expand(3, 9).contiguous()
    shape = {0: Dim("batch", min=1), 1: Dim("tokens", min=1)}
    captured = capture(model, (tokens[:2, :4], positions[:2, :4]), (shape, shape))
    module, changes = lift(captured)
    assert changes["legalize-torch"] == 0
    assert changes["lift-norm"] == 5
    assert changes["lift-rope"] == 4
    assert changes["lift-attention"] == 2

    weights = {key: each.value.detach().numpy() for key, each in captured.weights.items()}
    with torch.no_grad():
        expected = model(tokens, positions).numpy()
    [logits] = evaluate(module, [tokens.numpy(), positions.numpy()], weights=weights)
    assert relative_error(logits, expected) < 1e-5


def test_weights_go_by_all_their_names_and_never_enter_the_program() -> None:
    model = TinyLlama()
    example = torch.zeros(2, 4, dtype=torch.int32)
    captured = capture(model, (example, example))
    tied = captured.weights["embed.weight"]
    assert tied.names == ("embed.weight", "head.weight")
    assert (tied.shape, tied.dtype) == ((61, WIDTH), torch.float32)
    assert tied.value is model.embed.weight
    assert "head.weight" not in captured.weights
    assert "blocks.1.inv_freq" in captured.weights
    assert "torch.vtensor.literal" not in str(captured.module)


def test_a_prefix_is_cut_and_buffers_get_the_values_given() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = Apply(lambda x, weight: x * weight)
            self.model.register_buffer("shift", torch.zeros(8), persistent=False)
            self.model.register_buffer("scale", torch.tensor(0.0), persistent=False)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (self.model(x) + self.model.shift) * self.model.scale

    buffers = {"shift": torch.arange(8.0), "scale": torch.tensor(2.5)}
    with torch.device("meta"):
        captured = capture(Outer(), (torch.randn(2, 8),), buffers=buffers, prefix="model.")
    assert captured.weights["weight"].value is None
    assert captured.weights["shift"].value is buffers["shift"]
    assert set(captured.weights) == {"weight", "shift"}
    assert "2.500000e+00" in str(captured.module)  # a scalar is a constant of the program


def rotate_pairs(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    angles = weight[:4] * 3
    turned = (even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos())
    return torch.stack(turned, dim=-1).flatten(2)


def share_keys(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    q = (x * weight).view(x.shape[0], x.shape[1], 4, 2).transpose(1, 2)
    k = q[:, :2].repeat_interleave(2, dim=1)
    return functional.scaled_dot_product_attention(q, k, k, is_causal=True)


def write_in_place(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    y = x * weight
    y += x
    y[..., :3] = 0.5
    return functional.relu(y, inplace=True)


@pytest.mark.parametrize(
    "function",
    [
        rotate_pairs,
        share_keys,
        write_in_place,
        lambda x, weight: functional.rms_norm(x, (8,), weight),
        lambda x, weight: weight * (x / (x.norm(dim=-1, keepdim=True) / 8**0.5 + 1e-6)),
        lambda x, weight: functional.glu(x * weight),
        lambda x, weight: functional.softmax(x, dim=-1).where(x > 0, weight),
    ],
)
def test_what_authors_write_computes_what_torch_computes(function, lift, relative_error) -> None:
    model = Apply(function).eval()
    shape = {0: Dim("rows", min=1), 1: Dim("tokens", min=1)}
    captured = capture(model, (torch.randn(2, 5, 8),), (shape,))
    x = torch.randn(3, 9, 8)
    with torch.no_grad():
        expected = model(x.clone()).numpy()
    weights = {key: each.value.detach().numpy() for key, each in captured.weights.items()}
    [got] = evaluate(lift(captured)[0], [x.numpy()], weights=weights)
    assert relative_error(got, expected) < 1e-5


def test_a_dimension_stays_dynamic_only_where_it_is_declared() -> None:
    model = Apply(lambda x, weight: x * weight)
    captured = capture(model, (torch.randn(2, 3, 8),), ({0: Dim("rows", min=1)},))
    assert "@main(%arg0: !torch.vtensor<[?,3,8],f32>)" in str(captured.module)


def test_an_operation_that_nobody_lowers_is_named_with_its_line(lift) -> None:
    captured = capture(Spectrum(), (torch.randn(2, 8),))
    with pytest.raises(PassError) as caught:
        lift(captured)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    number = 1 + next(index for index, line in enumerate(lines) if "torch.fft" in line)
    message = str(caught.value)
    assert f"'torch.aten.fft_rfft' at \"{__file__}\":{number}:" in message
    assert "add a 'lift-' pass" in message


def test_control_flow_on_values_is_refused_with_the_reason() -> None:
    model = Apply(lambda x, weight: x * weight if x.sum() > 0 else x)
    with pytest.raises(CaptureError, match=r"Apply cannot be exported: .*data-dependent") as caught:
        capture(model, (torch.randn(2, 8),))
    assert "control flow that depends on tensor values" in str(caught.value)


def test_an_undeclared_dimension_is_refused_with_the_reason() -> None:
    model = Apply(lambda x, weight: x.reshape(2, -1, 8) * weight)
    with pytest.raises(CaptureError, match=r"(?s)Apply cannot be exported: .*dynamic_shapes"):
        capture(model, (torch.randn(2, 3, 8),), ({0: Dim("rows", min=1)},))


def test_what_torch_mlir_cannot_import_is_refused_with_the_reason() -> None:
    def branch(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: x * weight, lambda x: x + weight, (x,))

    with pytest.raises(
        CaptureError, match=r"Apply cannot be imported into the torch dialect: .*'cond'"
    ):
        capture(Apply(branch), (torch.randn(2, 8),))


def test_a_buffer_that_changes_is_refused() -> None:
    class Counter(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("count", torch.zeros(8))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.count.add_(1.0)
            return x + self.count

    with pytest.raises(CaptureError, match=r"Counter changes 'count' while it runs: expected"):
        capture(Counter(), (torch.randn(2, 8),))


def test_a_config_gives_tokens_and_positions_to_logits_of_dynamic_sizes() -> None:
    from transformers import LlamaConfig

    config = LlamaConfig(
        vocab_size=61,
        hidden_size=48,
        num_hidden_layers=1,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=80,
        tie_word_embeddings=True,
    )
    captured = capture_config(config, torch.bfloat16, 64)
    tokens = "!torch.vtensor<[?,?],si32>"
    logits = "!torch.vtensor<[?,?,61],bf16>"
    assert f"@main(%arg0: {tokens}, %arg1: {tokens}) -> {logits}" in str(captured.module)
    assert captured.weights["model.embed_tokens.weight"].names[1:] == ("lm_head.weight",)
    valued = [key for key, each in captured.weights.items() if each.value is not None]
    assert valued == ["model.rotary_emb.inv_freq"]
