from harness import KEY, MODELS, URL, check, equal, image_link
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import BaseModel


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: float


@tool
def weather(city: str) -> str:
    """The weather of a city."""
    return "Sun"


COMMON = {"max_retries": 0, "timeout": 30}
FACES = {
    "chat": lambda model: ChatOpenAI(
        model=model, base_url=f"{URL}/v1", api_key=KEY, stream_usage=True, **COMMON
    ),
    "responses": lambda model: ChatOpenAI(
        model=model, base_url=f"{URL}/v1", api_key=KEY, use_responses_api=True, **COMMON
    ),
    "responses, kept": lambda model: ChatOpenAI(
        model=model,
        base_url=f"{URL}/v1",
        api_key=KEY,
        use_responses_api=True,
        use_previous_response_id=True,
        **COMMON,
    ),
    "messages": lambda model: ChatAnthropic(
        model=model, base_url=URL, api_key=KEY, max_tokens=999, **COMMON
    ),
}


def text_of(message):
    text = message.text
    return text() if callable(text) and not isinstance(text, str) else str(text)


for model in MODELS:
    for face, made in FACES.items():
        llm = made(model)

        @check(f"{model} {face} invoke")
        def _():
            answer = llm.invoke([SystemMessage("Short"), HumanMessage("Hello you")])
            equal(text_of(answer), "Hello you")
            assert answer.usage_metadata["total_tokens"] > 0

        @check(f"{model} {face} stream")
        def _():
            whole = None
            for chunk in llm.stream("Hello stream"):
                whole = chunk if whole is None else whole + chunk
            equal(text_of(whole), "Hello stream")
            assert whole.usage_metadata["total_tokens"] > 0

        @check(f"{model} {face} tools")
        def _():
            bound = llm.bind_tools([weather])
            messages = [HumanMessage("Call weather now")]
            first = bound.invoke(messages)
            call = first.tool_calls[0]
            messages += [first, ToolMessage("Sun", tool_call_id=call["id"])]
            second = bound.invoke(messages)
            equal(text_of(second), "The tools answered: Sun")
            messages += [second, HumanMessage("Thanks")]
            equal(text_of(bound.invoke(messages)), "Thanks")

        @check(f"{model} {face} tools, streamed")
        def _():
            whole = None
            for chunk in llm.bind_tools([weather]).stream("Call weather now"):
                whole = chunk if whole is None else whole + chunk
            equal([call["name"] for call in whole.tool_calls], ["weather"])

        @check(f"{model} {face} forced tool")
        def _():
            bound = llm.bind_tools([weather], tool_choice="weather")
            equal(bound.invoke("Anything").tool_calls[0]["name"], "weather")

        @check(f"{model} {face} structured")
        def _():
            assert isinstance(llm.with_structured_output(Weather).invoke("Rome"), Weather)

        @check(f"{model} {face} image")
        def _():
            link = {"type": "image_url", "image_url": {"url": image_link()}}
            answer = llm.invoke([HumanMessage([{"type": "text", "text": "See"}, link])])
            assert "See" in text_of(answer)


@check("embeddings")
def _():
    made = OpenAIEmbeddings(
        model="sandbox/embed", base_url=f"{URL}/v1", api_key=KEY, check_embedding_ctx_length=False
    )
    equal(len(made.embed_documents(["a", "b"])), 2)
