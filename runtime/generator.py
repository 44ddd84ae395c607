"""Text in, text out: prompts through the tokenizer to the engine, and its tokens back to text."""

from collections.abc import Iterable, Iterator, Sequence

from octavo.arguments import is_array, is_integer, is_list, require
from octavo.runtime.chat_template import Message
from octavo.runtime.completion import Completion, Delta, Prompt
from octavo.runtime.engine import Engine
from octavo.runtime.no_tokenizer import NoTokenizer
from octavo.runtime.request import RequestOutput, SamplingParams
from octavo.runtime.tokenizer import Tokenizer

PromptLike = str | Sequence[int]
Prompts = str | Sequence[PromptLike]
Params = SamplingParams | Sequence[SamplingParams] | None


class Generator:
    """Generates text with an engine, which serves it alone, and a tokenizer.

    All prompts of a call run in one batch, together with those of other calls that are under way: `stream`
    may be called again while an earlier stream is open. Not safe to use from two threads.

    Attributes:
        engine: whose tokens are decoded.
        tokenizer: of the same model.
    """

    def __init__(
        self, engine: Engine, tokenizer: Tokenizer | NoTokenizer, bos_token_id: int | None = None
    ) -> None:
        """Join the two; `bos_token_id` stands for a prompt that has no tokens."""
        self.engine = engine
        self.tokenizer = tokenizer
        self._bos_token_id = bos_token_id
        self._open: dict[int, Completion] = {}

    def generate(self, prompts: Prompts, params: Params = None) -> list[RequestOutput]:
        """Continue each prompt; return the outputs in the order of the prompts.

        An empty string is continued from the model's beginning-of-sequence token, as in Hugging Face's
        `generate`. Whatever ends the call early, Ctrl-C included, leaves no request behind in the engine.

        Args:
            prompts: a string, or a list of strings and of lists of token ids.
            params: one for all prompts or one for each; `None` for the defaults.

        Raises:
            ValueError: an argument of a wrong type, an empty prompt without such a token, a token id out of
                range, or a list of parameters that does not match the prompts. Nothing has run then.
            CapacityError: a prompt and its output do not fit the context or the KV cache. Nothing has run.
            DeviceError: the device failed.
        """
        return _outputs(self.stream(prompts, params))

    def stream(self, prompts: Prompts, params: Params = None) -> Iterator[Delta]:
        """Yield pieces of text as they are generated, of all prompts in turn; see `generate`.

        Nothing happens before the first piece is asked for. To close the iterator aborts what is left.
        """
        texts_or_ids = [prompts] if isinstance(prompts, str) else prompts
        expected = "a string, or a list of strings and of lists of token ids"
        require(is_list(texts_or_ids) or is_array(texts_or_ids), "prompts", expected, prompts)
        yield from self._run([self._encode(item) for item in texts_or_ids], params)

    def chat(
        self, messages: Sequence[Message], params: SamplingParams | None = None
    ) -> RequestOutput:
        """Return the assistant's answer to a conversation; see `generate`.

        Args:
            messages: each with `role` and `content`.
            params: of the answer; `None` for the defaults.

        Raises:
            ValueError: also when the model has no chat template, or it refuses the messages.
        """
        return _outputs(self.stream_chat(messages, params))[0]

    def stream_chat(
        self, messages: Sequence[Message], params: SamplingParams | None = None
    ) -> Iterator[Delta]:
        """Yield the assistant's answer piece by piece; see `chat`."""
        text = self.tokenizer.render_chat(messages)
        yield from self._run([Prompt(text, self.tokenizer.encode_chat(text))], params)

    def _encode(self, prompt: PromptLike) -> Prompt:
        if not isinstance(prompt, str):
            return Prompt(None, _checked_ids(prompt))
        token_ids = self.tokenizer.encode(prompt)
        if not token_ids and self._bos_token_id is not None:
            token_ids = [self._bos_token_id]
        if not token_ids:
            raise ValueError(
                f"prompt {prompt!r} has no tokens, and the model has no beginning-of-sequence token to "
                "start from"
            )
        return Prompt(prompt, token_ids)

    def _run(self, prompts: Sequence[Prompt], params: Params) -> Iterator[Delta]:
        each = _params_for_each(params, len(prompts))
        for prompt, its_params in zip(prompts, each, strict=True):
            if isinstance(self.tokenizer, NoTokenizer):
                self.tokenizer.check_stop_strings(its_params.stop_strings)
            self.engine.check_request(prompt.token_ids, its_params)
        added: dict[int, Completion] = {}
        try:
            for index, (prompt, its_params) in enumerate(zip(prompts, each, strict=True)):
                request_id = self.engine.add_request(prompt.token_ids, its_params)
                added[request_id] = Completion(index, prompt, its_params, self.tokenizer)
                self._open[request_id] = added[request_id]
            yield from self._deltas(list(added.values()))
        except BaseException:  # Ctrl-C and a closed iterator are the common ones.
            self._drop(added.keys())
            raise

    def _deltas(self, completions: Sequence[Completion]) -> Iterator[Delta]:
        while completions:
            # Another stream's steps may have left news here already.
            news = [delta for completion in completions if (delta := completion.take())]
            completions = [completion for completion in completions if not completion.output]
            if not news and completions:
                self._step()
            yield from news

    def _step(self) -> None:
        for token in self.engine.step():
            completion = self._open[token.request_id]
            completion.push(token.token_id, token.finish_reason)
            if completion.output:
                self.engine.abort(token.request_id)
                del self._open[token.request_id]

    def _drop(self, request_ids: Iterable[int]) -> None:
        for request_id in request_ids:
            self._open.pop(request_id, None)
        if not self._open:
            # An interrupt may have struck between any two statements: rather than repair, start afresh.
            self.engine.reset()
            return
        for request_id in request_ids:
            self.engine.abort(request_id)


def _outputs(deltas: Iterable[Delta]) -> list[RequestOutput]:
    outputs = {delta.index: delta.output for delta in deltas if delta.output}
    return [outputs[index] for index in range(len(outputs))]


def _checked_ids(prompt: Sequence[int]) -> list[int]:
    valid = (is_list(prompt) or is_array(prompt)) and all(map(is_integer, prompt))
    require(valid, "prompt", "a string or a list of token ids", prompt)
    return [int(token_id) for token_id in prompt]


def _params_for_each(params: Params, num_prompts: int) -> list[SamplingParams]:
    if params is None:
        params = SamplingParams()
    if isinstance(params, SamplingParams):
        return [params] * num_prompts
    valid = is_list(params) and all(isinstance(each, SamplingParams) for each in params)
    require(valid, "params", "a SamplingParams or a list of them", params)
    if len(params) != num_prompts:
        raise ValueError(
            f"params: expected one for all prompts or one for each of {num_prompts}, got {len(params)}"
        )
    return list(params)
