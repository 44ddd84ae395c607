"""Rendering is compared with transformers' on templates that use what real ones use."""

from datetime import datetime

import pytest
from transformers.utils.chat_template_utils import render_jinja_template

from octavo.runtime.chat_template import ChatTemplate

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>"}
MESSAGES = [
    {"role": "system", "content": "Be brief & <kind>."},
    {"role": "user", "content": "Grüße, 猫 🐱?", "name": None},
    {"role": "assistant", "content": "  spaced  ", "tools": [{"b": 1, "a": "é<"}]},
    {"role": "user", "content": "Bye"},
]
TEMPLATES = {
    "chatml": (
        "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
        "'<|im_end|>' + '\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
    ),
    "special tokens and defined": (
        "{{ bos_token }}{% for m in messages %}{% if m.name is defined %}named{% endif %}"
        "{{ m.content | trim }}{{ eos_token }}{% endfor %}{{ pad_token is defined }}"
    ),
    "blocks are trimmed": """
        {%- set ns = namespace(count=0) %}
        {% for message in messages %}
            {% if message.role == 'system' %}
                {% continue %}
            {% endif %}
            {% set ns.count = ns.count + 1 %}
            {% if ns.count > 2 %}
                {% break %}
            {% endif %}
            {{ ns.count }}: {{ message['content'] }}
        {% endfor %}
        {{ tools is none }} {{ documents is none }}
    """,
    "tojson": "{{ messages | tojson }}{{ messages[2].tools | tojson(indent=2) }}",
    "generation blocks": (
        "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{{ eos_token }}"
        "{% endgeneration %}{% else %}{{ m.content }}{% endif %}{% endfor %}"
    ),
    "slices and dictionaries": (
        "{% for m in messages[1:] | selectattr('role', 'equalto', 'user') %}{{ loop.index0 }}"
        "{% for key, value in m.items() %}{{ key }}={{ value }};{% endfor %}{% endfor %}"
    ),
}


@pytest.mark.parametrize("add_generation_prompt", [True, False])
@pytest.mark.parametrize("source", TEMPLATES.values(), ids=TEMPLATES.keys())
def test_text_is_that_of_transformers(source: str, add_generation_prompt: bool) -> None:
    plain = [{key: value for key, value in m.items() if value is not None} for m in MESSAGES]
    expected, _ = render_jinja_template(
        [plain], chat_template=source, add_generation_prompt=add_generation_prompt, **SPECIAL
    )
    template = ChatTemplate(source, SPECIAL)
    assert template.render(MESSAGES, add_generation_prompt=add_generation_prompt) == expected[0]


def test_today() -> None:
    template = ChatTemplate("{{ strftime_now('%Y') }}", {})
    assert template.render(MESSAGES) in {str(datetime.now().year), str(datetime.now().year - 1)}


def test_the_template_may_refuse() -> None:
    template = ChatTemplate("{{ raise_exception('roles must alternate') }}", {})
    with pytest.raises(
        ValueError, match="chat template refuses the messages: roles must alternate"
    ):
        template.render(MESSAGES)


def test_contents_that_the_template_cannot_join() -> None:
    template = ChatTemplate("{{ 'user: ' + messages[0].content }}", {})
    with pytest.raises(ValueError, match="refuses the messages: can only concatenate str"):
        template.render([{"role": "user", "content": ["parts"]}])


def test_templates_are_not_trusted() -> None:
    template = ChatTemplate("{{ messages.__class__.__mro__[1].__subclasses__() }}", {})
    with pytest.raises(ValueError, match="refuses the messages: access to attribute '__class__'"):
        template.render(MESSAGES)
    with pytest.raises(ValueError, match="refuses the messages"):
        ChatTemplate("{{ messages.append(1) }}", {}).render(MESSAGES)


def test_a_template_that_does_not_parse() -> None:
    with pytest.raises(
        ValueError, match="chat template is not valid at line 2: Expected an expression"
    ):
        ChatTemplate("ok\n{% for %}", {})


def test_messages_need_a_role() -> None:
    template = ChatTemplate("x", {})
    with pytest.raises(ValueError, match="messages: expected at least one, got none"):
        template.render([])
    with pytest.raises(
        ValueError, match=r"message 1: expected 'role' and 'content', got keys \['content'\]"
    ):
        template.render([MESSAGES[0], {"content": "hi"}])
