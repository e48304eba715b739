import asyncio
import json

import litellm
from harness import KEY, MODELS, URL, WEATHER, check, equal, named_file, image_link, png, wave
from pydantic import BaseModel

litellm.telemetry = False
V1 = f"{URL}/v1"


class Weather(BaseModel):
    city: str
    degrees: float


def user(content):
    return {"role": "user", "content": content}


# Prefixes that select a format in LiteLLM, with the base URL for each.
FACES = {"openai": V1, "hosted_vllm": V1, "litellm_proxy": V1, "anthropic": URL}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": WEATHER}}

for model in MODELS:
    for face, base in FACES.items():
        options = {
            "model": f"{face}/{model}",
            "api_base": base,
            "api_key": KEY,
            "num_retries": 0,
            "timeout": 30,
        }

        @check(f"{model} {face} chat")
        def _():
            answer = litellm.completion(messages=[user("Hello you")], **options)
            equal(answer.choices[0].message.content, "Hello you")
            assert answer.usage.total_tokens > 0

        @check(f"{model} {face} stream")
        def _():
            stream = litellm.completion(messages=[user("Hello stream")], stream=True, **options)
            equal("".join(chunk.choices[0].delta.content or "" for chunk in stream), "Hello stream")

        @check(f"{model} {face} tools")
        def _():
            messages = [user("Call weather now")]
            first = litellm.completion(messages=messages, tools=[TOOL], **options)
            call = first.choices[0].message.tool_calls[0]
            json.loads(call.function.arguments)
            messages += [
                first.choices[0].message,
                {"role": "tool", "tool_call_id": call.id, "content": "Sun"},
            ]
            second = litellm.completion(messages=messages, tools=[TOOL], **options)
            equal(second.choices[0].message.content, "The tools answered: Sun")

        @check(f"{model} {face} structured")
        def _():
            answer = litellm.completion(messages=[user("Rome")], response_format=Weather, **options)
            Weather.model_validate_json(answer.choices[0].message.content)

        @check(f"{model} {face} image")
        def _():
            parts = [
                {"type": "text", "text": "See"},
                {"type": "image_url", "image_url": {"url": image_link()}},
            ]
            answer = litellm.completion(messages=[user(parts)], **options)
            assert "See" in answer.choices[0].message.content

    @check(f"{model} responses")
    def _():
        answer = litellm.responses(model=f"openai/{model}", input="Hello", api_base=V1, api_key=KEY)
        equal(answer.output_text, "Hello")

    @check(f"{model} messages")
    def _():
        result = asyncio.run(
            litellm.anthropic.messages.acreate(
                model=f"anthropic/{model}",
                max_tokens=99,
                messages=[user("Hello")],
                api_base=URL,
                api_key=KEY,
            )
        )
        equal(result["content"][0]["text"], "Hello")


@check("embedding")
def _():
    answer = litellm.embedding(
        model="openai/sandbox/embed", input=["a", "b"], api_base=V1, api_key=KEY
    )
    equal(len(answer.data), 2)


DOCUMENTS = ["the cat", "the weather in Rome", "a dog"]
RERANKS = {"cohere": URL, "hosted_vllm": V1, "litellm_proxy": V1, "jina_ai": V1}
for face, base in RERANKS.items():

    @check(f"{face} rerank")
    def _():
        answer = litellm.rerank(
            model=f"{face}/sandbox/rerank",
            query="weather Rome",
            documents=DOCUMENTS,
            top_n=2,
            api_base=base,
            api_key=KEY,
        )
        equal([result["index"] for result in answer.results][0], 1)
        equal(len(answer.results), 2)


@check("image")
def _():
    answer = litellm.image_generation(
        model="openai/sandbox/image", prompt="A cat", api_base=V1, api_key=KEY
    )
    assert answer.data[0].url or answer.data[0].b64_json


@check("image edit")
def _():
    answer = litellm.image_edit(
        model="openai/sandbox/image",
        prompt="A hat",
        image=named_file("a.png", png(1024)),
        mask=named_file("m.png", png(1024, 0)),
        api_base=V1,
        api_key=KEY,
    )
    assert answer.data[0].url or answer.data[0].b64_json


@check("speech")
def _():
    answer = litellm.speech(
        model="openai/sandbox/speech", voice="alloy", input="Hello", api_base=V1, api_key=KEY
    )
    assert len(answer.content) > 0


@check("transcription")
def _():
    answer = litellm.transcription(
        model="openai/sandbox/transcribe",
        file=named_file("a.wav", wave()),
        api_base=V1,
        api_key=KEY,
    )
    assert answer.text
