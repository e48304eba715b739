import json

from harness import KEY, MODELS, URL, WEATHER, check, equal, named_file, image_link, png, wave
from openai import BadRequestError, NotFoundError, OpenAI
from pydantic import BaseModel

client = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0, timeout=30)


class Weather(BaseModel):
    city: str
    degrees: float


def user(text):
    return {"role": "user", "content": text}


TOOL = {"type": "function", "function": {"name": "weather", "parameters": WEATHER}}
FLAT_TOOL = {"type": "function", "name": "weather", "parameters": WEATHER, "strict": False}

for model in MODELS:

    @check(f"{model} chat")
    def _():
        answer = client.chat.completions.create(model=model, messages=[user("Hello you")])
        equal(answer.choices[0].message.content, "Hello you")
        equal(answer.choices[0].finish_reason, "stop")
        equal(answer.model, model)
        equal(
            answer.usage.total_tokens, answer.usage.prompt_tokens + answer.usage.completion_tokens
        )

    @check(f"{model} chat stream")
    def _():
        options = {"include_usage": True}
        stream = client.chat.completions.create(
            model=model, messages=[user("Hello stream")], stream=True, stream_options=options
        )
        chunks = list(stream)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        equal(text, "Hello stream")
        assert chunks[-1].usage.total_tokens > 0

    @check(f"{model} chat stream helper")
    def _():
        with client.chat.completions.stream(model=model, messages=[user("Hello helper")]) as stream:
            for _event in stream:
                pass
            equal(stream.get_final_completion().choices[0].message.content, "Hello helper")

    @check(f"{model} chat tools")
    def _():
        messages = [user("Call weather now")]
        first = client.chat.completions.create(model=model, messages=messages, tools=[TOOL])
        call = first.choices[0].message.tool_calls[0]
        equal(call.function.name, "weather")
        json.loads(call.function.arguments)
        messages += [
            first.choices[0].message,
            {"role": "tool", "tool_call_id": call.id, "content": "Sun"},
        ]
        second = client.chat.completions.create(model=model, messages=messages, tools=[TOOL])
        equal(second.choices[0].message.content, "The tools answered: Sun")

    @check(f"{model} chat parse")
    def _():
        answer = client.chat.completions.parse(
            model=model, messages=[user("Rome")], response_format=Weather
        )
        assert isinstance(answer.choices[0].message.parsed, Weather)

    @check(f"{model} chat two choices")
    def _():
        answer = client.chat.completions.create(model=model, messages=[user("Two")], n=2)
        equal([choice.index for choice in answer.choices], [0, 1])

    @check(f"{model} chat image")
    def _():
        parts = [
            {"type": "text", "text": "See"},
            {"type": "image_url", "image_url": {"url": image_link()}},
        ]
        answer = client.chat.completions.create(model=model, messages=[user(parts)])
        assert "See" in answer.choices[0].message.content

    @check(f"{model} chat stop")
    def _():
        answer = client.chat.completions.create(
            model=model, messages=[user("one STOP two")], stop="STOP"
        )
        equal(answer.choices[0].message.content.strip(), "one")
        equal(answer.choices[0].finish_reason, "stop")

    @check(f"{model} chat length")
    def _():
        answer = client.chat.completions.create(
            model=model, messages=[user("/tokens 90")], max_tokens=3
        )
        equal(answer.choices[0].finish_reason, "length")
        assert len(answer.choices[0].message.content.split()) <= 3

    @check(f"{model} chat second turn")
    def _():
        first = client.chat.completions.create(model=model, messages=[user("I am Bob")])
        messages = [user("I am Bob"), first.choices[0].message, user("Who?")]
        equal(
            client.chat.completions.create(model=model, messages=messages)
            .choices[0]
            .message.content,
            "Who?",
        )

    @check(f"{model} responses")
    def _():
        answer = client.responses.create(model=model, input="Hello you", instructions="Be short")
        equal(answer.output_text, "Hello you")
        equal(answer.status, "completed")

    @check(f"{model} responses stream")
    def _():
        events = list(client.responses.create(model=model, input="Hello stream", stream=True))
        equal([event.sequence_number for event in events], list(range(len(events))))
        equal(events[-1].type, "response.completed")
        equal(events[-1].response.output_text, "Hello stream")

    @check(f"{model} responses stream helper")
    def _():
        with client.responses.stream(model=model, input="Rome", text_format=Weather) as stream:
            for _event in stream:
                pass
            assert isinstance(stream.get_final_response().output_parsed, Weather)

    @check(f"{model} responses tools, kept")
    def _():
        first = client.responses.create(model=model, input="Call weather now", tools=[FLAT_TOOL])
        call = next(item for item in first.output if item.type == "function_call")
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "Sun"}
        second = client.responses.create(
            model=model, input=[result], previous_response_id=first.id, tools=[FLAT_TOOL]
        )
        equal(second.output_text, "The tools answered: Sun")

    @check(f"{model} responses tools, sent again")
    def _():
        items = [user("Call weather now")]
        first = client.responses.create(model=model, input=items, tools=[FLAT_TOOL], store=False)
        call = next(item for item in first.output if item.type == "function_call")
        items += first.output
        items.append({"type": "function_call_output", "call_id": call.call_id, "output": "Sun"})
        second = client.responses.create(model=model, input=items, tools=[FLAT_TOOL], store=False)
        equal(second.output_text, "The tools answered: Sun")

    @check(f"{model} responses parse")
    def _():
        answer = client.responses.parse(model=model, input="Rome", text_format=Weather)
        assert isinstance(answer.output_parsed, Weather)

    @check(f"{model} responses retrieve and delete")
    def _():
        answer = client.responses.create(model=model, input="Keep me")
        equal(client.responses.retrieve(answer.id).output_text, "Keep me")
        client.responses.delete(answer.id)
        try:
            client.responses.retrieve(answer.id)
        except NotFoundError:
            return
        raise AssertionError("it is still there")


@check("models")
def _():
    ids = [model.id for model in client.models.list()]
    assert set(MODELS) <= set(ids)
    equal(client.models.retrieve("sandbox/echo").id, "sandbox/echo")


@check("embeddings")
def _():
    answer = client.embeddings.create(model="sandbox/embed", input=["a", "b"])
    equal([item.index for item in answer.data], [0, 1])
    assert isinstance(answer.data[0].embedding[0], float)


@check("image generate")
def _():
    answer = client.images.generate(
        model="sandbox/image", prompt="A cat", response_format="b64_json"
    )
    assert answer.data[0].b64_json


@check("image generate link")
def _():
    assert (
        client.images.generate(model="sandbox/image", prompt="A cat").data[0].url.startswith("http")
    )


@check("image edit")
def _():
    answer = client.images.edit(
        model="sandbox/image",
        prompt="A hat",
        image=named_file("a.png", png(1024)),
        mask=named_file("m.png", png(1024, 0)),
    )
    assert answer.data[0].url


@check("image edit without mask")
def _():
    try:
        client.images.edit(
            model="sandbox/image", prompt="A hat", image=named_file("a.png", png(1024))
        )
    except BadRequestError as error:
        equal(error.param, "mask")
        return
    raise AssertionError("a missing mask is rejected by default")


@check("image variation")
def _():
    answer = client.images.create_variation(
        model="sandbox/image", image=named_file("a.png", png(1024))
    )
    assert answer.data[0].url


@check("speech")
def _():
    with client.audio.speech.with_streaming_response.create(
        model="sandbox/speech", voice="alloy", input="Hello"
    ) as answer:
        assert sum(len(piece) for piece in answer.iter_bytes()) > 0


for form in ("json", "verbose_json", "text", "srt", "vtt"):

    @check(f"transcription {form}")
    def _():
        answer = client.audio.transcriptions.create(
            model="sandbox/transcribe", file=named_file("a.wav", wave()), response_format=form
        )
        assert isinstance(answer, str) or answer.text


@check("translation")
def _():
    answer = client.audio.translations.create(
        model="sandbox/transcribe", file=named_file("a.wav", wave())
    )
    assert answer.text
