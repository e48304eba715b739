import base64
import json

import anthropic
from anthropic import Anthropic, beta_tool
from harness import KEY, MODELS, URL, WEATHER, check, equal, png

client = Anthropic(base_url=URL, api_key=KEY, max_retries=0, timeout=30)
TOOL = {"name": "weather", "description": "The weather", "input_schema": WEATHER}


@beta_tool
def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: which one
    """
    return "Sun over " + ("a city" if isinstance(city, str) else "")


def user(content):
    return {"role": "user", "content": content}


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


for model in MODELS:

    @check(f"{model} messages")
    def _():
        answer = client.messages.create(
            model=model, max_tokens=99, system="Short", messages=[user("Hello you")]
        )
        equal(text_of(answer), "Hello you")
        equal(answer.stop_reason, "end_turn")
        assert answer.usage.input_tokens > 0 and answer.usage.output_tokens > 0

    @check(f"{model} stream")
    def _():
        with client.messages.stream(
            model=model, max_tokens=99, messages=[user("Hello stream")]
        ) as stream:
            equal("".join(stream.text_stream), "Hello stream")
            assert stream.get_final_message().usage.output_tokens > 0

    @check(f"{model} tools")
    def _():
        messages = [user("Call weather now")]
        first = client.messages.create(model=model, max_tokens=99, messages=messages, tools=[TOOL])
        equal(first.stop_reason, "tool_use")
        call = next(block for block in first.content if block.type == "tool_use")
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "Sun"}
        messages += [{"role": "assistant", "content": first.content}, user([result])]
        second = client.messages.create(model=model, max_tokens=99, messages=messages, tools=[TOOL])
        equal(text_of(second), "The tools answered: Sun")

    @check(f"{model} tools, streamed")
    def _():
        messages = [user("Call weather now")]
        with client.messages.stream(
            model=model, max_tokens=99, messages=messages, tools=[TOOL]
        ) as stream:
            first = stream.get_final_message()
        call = next(block for block in first.content if block.type == "tool_use")
        equal(call.name, "weather")
        assert isinstance(call.input, dict)

    @check(f"{model} tool runner")
    def _():
        runner = client.beta.messages.tool_runner(
            model=model, max_tokens=999, tools=[weather], messages=[user("Call weather now")]
        )
        last = runner.until_done()
        assert "Sun over" in text_of(last), text_of(last)

    @check(f"{model} tool runner, streamed")
    def _():
        runner = client.beta.messages.tool_runner(
            model=model,
            max_tokens=999,
            tools=[weather],
            messages=[user("Call weather now")],
            stream=True,
        )
        texts = [text_of(stream.get_final_message()) for stream in runner]
        assert "Sun over" in texts[-1], texts

    @check(f"{model} thinking, second turn")
    def _():
        options = {
            "model": model,
            "max_tokens": 4000,
            "thinking": {"type": "enabled", "budget_tokens": 1024},
            "tools": [TOOL],
        }
        messages = [user("Call weather now")]
        with client.messages.stream(messages=messages, **options) as stream:
            first = stream.get_final_message()
        equal([block.type for block in first.content][-1], "tool_use")
        call = first.content[-1]
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "Sun"}
        messages += [{"role": "assistant", "content": first.content}, user([result])]
        second = client.messages.create(messages=messages, **options)
        equal(text_of(second), "The tools answered: Sun")
        messages += [{"role": "assistant", "content": second.content}, user("Thanks")]
        equal(text_of(client.messages.create(messages=messages, **options)), "Thanks")

    @check(f"{model} image")
    def _():
        source = {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(png()).decode(),
        }
        content = [{"type": "image", "source": source}, {"type": "text", "text": "See"}]
        answer = client.messages.create(model=model, max_tokens=99, messages=[user(content)])
        assert "See" in text_of(answer)

    @check(f"{model} stop sequence")
    def _():
        answer = client.messages.create(
            model=model, max_tokens=99, messages=[user("one STOP two")], stop_sequences=["STOP"]
        )
        equal(text_of(answer).strip(), "one")

    @check(f"{model} stop sequence told")
    def _():
        answer = client.messages.create(
            model=model, max_tokens=99, messages=[user("one STOP two")], stop_sequences=["STOP"]
        )
        equal((answer.stop_reason, answer.stop_sequence), ("stop_sequence", "STOP"))

    @check(f"{model} max tokens")
    def _():
        answer = client.messages.create(model=model, max_tokens=3, messages=[user("/tokens 90")])
        equal(answer.stop_reason, "max_tokens")
        assert len(text_of(answer).split()) <= 3

    @check(f"{model} structured")
    def _():
        form = {"type": "json_schema", "schema": WEATHER}
        answer = client.messages.create(
            model=model,
            max_tokens=99,
            messages=[user("Rome")],
            extra_body={"output_config": {"format": form}},
        )
        assert isinstance(json.loads(text_of(answer))["city"], str)

    if hasattr(client.beta.messages, "thread"):

        @check(f"{model} thread")
        def _():
            thread = client.beta.messages.thread(
                model=model, max_tokens=99, unsupported_request_behavior="continue_unthreaded"
            )
            first = thread.send(user("My name is Bob"))
            equal(text_of(first), "My name is Bob")
            second = thread.send(user("And now?"))
            equal(text_of(second), "And now?")
            assert second.usage.input_tokens > first.usage.input_tokens, "the history was lost"

        @check(f"{model} thread, strict")
        def _():
            thread = client.beta.messages.thread(model=model, max_tokens=99)
            try:
                first = thread.send(user("My name is Bob"))
                second = thread.send(user("And now?"))
            except anthropic.BadRequestError as error:
                equal(error.body["error"]["details"]["error_code"], "thread_unsupported_request")
                return
            assert second.usage.input_tokens > first.usage.input_tokens, "the history was lost"


@check("models")
def _():
    models = {model.id: model for model in client.models.list()}
    assert set(MODELS) <= set(models)


@check("unknown model")
def _():
    try:
        client.messages.create(model="sandbox/none", max_tokens=9, messages=[user("Hi")])
    except anthropic.NotFoundError:
        return
    raise AssertionError("it was found")
