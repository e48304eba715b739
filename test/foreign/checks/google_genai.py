import asyncio

from google import genai
from google.genai import errors, types
from harness import KEY, MODELS, URL, check, equal, png
from pydantic import BaseModel

client = genai.Client(
    api_key=KEY, http_options=types.HttpOptions(base_url=URL, timeout=30_000, retry_options=None)
)


class Thing(BaseModel):
    name: str
    sizes: list[int]


calls = []


def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: which one
    """
    calls.append(city)
    return "Sun over the city"


DECLARED = types.Tool(
    function_declarations=[
        types.FunctionDeclaration(
            name="weather",
            description="The weather",
            parameters=types.Schema(
                type="OBJECT", properties={"city": types.Schema(type="STRING")}, required=["city"]
            ),
        )
    ]
)


def config(**members):
    return types.GenerateContentConfig(**members)


for model in MODELS:

    @check(f"{model} generate")
    def _():
        answer = client.models.generate_content(
            model=model, contents="Hello you", config=config(system_instruction="Short")
        )
        equal(answer.text, "Hello you")
        equal(answer.candidates[0].finish_reason, types.FinishReason.STOP)
        usage = answer.usage_metadata
        assert usage.prompt_token_count > 0 and usage.candidates_token_count > 0, usage
        equal(
            usage.total_token_count,
            usage.prompt_token_count
            + usage.candidates_token_count
            + (usage.thoughts_token_count or 0),
        )

    @check(f"{model} stream")
    def _():
        chunks = list(
            client.models.generate_content_stream(model=model, contents="Hello dear stream")
        )
        equal("".join(chunk.text or "" for chunk in chunks), "Hello dear stream")
        equal(chunks[-1].candidates[0].finish_reason, types.FinishReason.STOP)
        assert chunks[-1].usage_metadata.total_token_count > 0

    @check(f"{model} async stream")
    def _():
        async def texts():
            stream = await client.aio.models.generate_content_stream(
                model=model, contents="Hello async"
            )
            return [chunk.text or "" async for chunk in stream]

        equal("".join(asyncio.run(texts())), "Hello async")

    @check(f"{model} chat")
    def _():
        chat = client.chats.create(model=model, config=config(system_instruction="Short"))
        equal(chat.send_message("I am Bob").text, "I am Bob")
        texts = [chunk.text or "" for chunk in chat.send_message_stream("Who am I?")]
        equal("".join(texts), "Who am I?")
        equal([turn.role for turn in chat.get_history(curated=True)][:2], ["user", "model"])

    @check(f"{model} function calls by hand")
    def _():
        turns = [types.Content(role="user", parts=[types.Part(text="Call weather now")])]
        options = config(tools=[DECLARED])
        first = client.models.generate_content(model=model, contents=turns, config=options)
        (call,) = first.function_calls
        equal(call.name, "weather")
        assert isinstance(call.args["city"], str)
        result = types.Part(
            function_response=types.FunctionResponse(
                id=call.id, name=call.name, response={"output": "Sun"}
            )
        )
        turns += [first.candidates[0].content, types.Content(role="user", parts=[result])]
        second = client.models.generate_content(model=model, contents=turns, config=options)
        assert "Sun" in second.text, second.text

    @check(f"{model} function calls, streamed")
    def _():
        stream = client.models.generate_content_stream(
            model=model, contents="Call weather now", config=config(tools=[DECLARED])
        )
        names = [call.name for chunk in stream for call in chunk.function_calls or []]
        equal(names, ["weather"])

    @check(f"{model} automatic function calling")
    def _():
        calls.clear()
        answer = client.models.generate_content(
            model=model, contents="Call weather now", config=config(tools=[weather])
        )
        equal(len(calls), 1)
        assert "Sun over the city" in answer.text, answer.text

    @check(f"{model} automatic function calling in a streamed chat")
    def _():
        calls.clear()
        chat = client.chats.create(model=model, config=config(tools=[weather]))
        texts = [chunk.text or "" for chunk in chat.send_message_stream("Call weather now")]
        equal(len(calls), 1)
        assert "Sun over the city" in "".join(texts), texts
        equal(chat.send_message("Thanks").text, "Thanks")

    @check(f"{model} any function")
    def _():
        choice = types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(
                mode="ANY", allowed_function_names=["weather"]
            )
        )
        answer = client.models.generate_content(
            model=model, contents="Anything", config=config(tools=[DECLARED], tool_config=choice)
        )
        equal([call.name for call in answer.function_calls], ["weather"])

    @check(f"{model} response schema")
    def _():
        answer = client.models.generate_content(
            model=model,
            contents="A thing",
            config=config(response_mime_type="application/json", response_schema=Thing),
        )
        assert isinstance(answer.parsed, Thing), answer.text

    @check(f"{model} response schema of a list")
    def _():
        answer = client.models.generate_content(
            model=model,
            contents="Things",
            config=config(response_mime_type="application/json", response_schema=list[Thing]),
        )
        assert isinstance(answer.parsed, list), answer.text
        assert all(isinstance(thing, Thing) for thing in answer.parsed)

    @check(f"{model} response JSON schema")
    def _():
        answer = client.models.generate_content(
            model=model,
            contents="A thing",
            config=config(
                response_mime_type="application/json",
                response_json_schema=Thing.model_json_schema(),
            ),
        )
        Thing.model_validate_json(answer.text)

    @check(f"{model} image")
    def _():
        parts = [types.Part.from_bytes(data=png(), mime_type="image/png"), "See"]
        answer = client.models.generate_content(model=model, contents=parts)
        assert "See" in answer.text

    @check(f"{model} stop sequence")
    def _():
        answer = client.models.generate_content(
            model=model, contents="one STOP two", config=config(stop_sequences=["STOP"])
        )
        equal(answer.text.strip(), "one")
        equal(answer.candidates[0].finish_reason, types.FinishReason.STOP)

    @check(f"{model} max tokens")
    def _():
        answer = client.models.generate_content(
            model=model, contents="/tokens 90", config=config(max_output_tokens=3)
        )
        equal(answer.candidates[0].finish_reason, types.FinishReason.MAX_TOKENS)
        assert len((answer.text or "").split()) <= 3, answer.text

    @check(f"{model} two candidates")
    def _():
        answer = client.models.generate_content(
            model=model, contents="Two", config=config(candidate_count=2)
        )
        equal([candidate.index or 0 for candidate in answer.candidates], [0, 1])

    @check(f"{model} count tokens")
    def _():
        few = client.models.count_tokens(model=model, contents="Hello")
        many = client.models.count_tokens(model=model, contents="Hello " * 50)
        assert 0 < few.total_tokens < many.total_tokens

    @check(f"{model} model")
    def _():
        found = client.models.get(model=model)
        equal(found.name, f"models/{model}")


@check("models")
def _():
    names = {model.name for model in client.models.list(config={"page_size": 5})}
    assert {f"models/{model}" for model in MODELS} <= names, names


@check("embed one")
def _():
    answer = client.models.embed_content(model="sandbox/embed", contents="a")
    equal(len(answer.embeddings), 1)
    assert isinstance(answer.embeddings[0].values[0], float)


@check("embed several")
def _():
    answer = client.models.embed_content(model="sandbox/embed", contents=["a", "b"])
    equal(len(answer.embeddings), 2)


@check("unknown model")
def _():
    try:
        client.models.generate_content(model="sandbox/none", contents="Hi")
    except errors.ClientError as error:
        equal((error.code, error.status), (404, "NOT_FOUND"))
        return
    raise AssertionError("it was found")


@check("unknown model, streamed")
def _():
    try:
        list(client.models.generate_content_stream(model="sandbox/none", contents="Hi"))
    except errors.ClientError as error:
        equal((error.code, error.status), (404, "NOT_FOUND"))
        return
    raise AssertionError("it was found")


@check("wrong key")
def _():
    stranger = genai.Client(api_key="sk-tg-wrong", http_options={"base_url": URL})
    try:
        stranger.models.generate_content(model="sandbox/echo", contents="Hi")
    except errors.ClientError as error:
        equal((error.code, error.status), (401, "UNAUTHENTICATED"))
        return
    raise AssertionError("it was let in")


@check("wrong request")
def _():
    try:
        client.models.generate_content(
            model="sandbox/echo", contents="Hi", config=config(temperature=9)
        )
    except errors.ClientError as error:
        equal((error.code, error.status), (400, "INVALID_ARGUMENT"))
        return
    raise AssertionError("it was taken")
