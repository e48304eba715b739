import asyncio

from harness import KEY, MODELS, URL, check, equal, png
from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent, NativeOutput, ToolOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.profiles.anthropic import anthropic_model_profile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider


class Weather(BaseModel):
    city: str
    degrees: float


def openai():
    return OpenAIProvider(base_url=f"{URL}/v1", api_key=KEY)


def anthropic():
    return AnthropicProvider(base_url=URL, api_key=KEY)


FACES = {
    "chat": lambda model: OpenAIChatModel(model, provider=openai()),
    "responses": lambda model: OpenAIResponsesModel(model, provider=openai()),
    # The features of a model are derived from Anthropic's names, so the profile is given for other names.
    "messages": lambda model: AnthropicModel(
        model, provider=anthropic(), profile=anthropic_model_profile("claude-sonnet-4-5")
    ),
}

# All checks use one event loop, because the connections of a provider belong to one loop.
loop = asyncio.new_event_loop()


def run(agent, prompt, **options):
    return loop.run_until_complete(agent.run(prompt, **options))


def weather(city: str) -> str:
    """The weather of a city."""
    return "Sun over the city"


def tools_agent(model):
    return Agent(model, tools=[weather])


def check_all(label, model):
    @check(f"{label} run")
    def _():
        result = run(Agent(model, instructions="Short"), "Hello you")
        equal(result.output, "Hello you")
        usage = result.usage() if callable(result.usage) else result.usage
        assert usage.input_tokens > 0 and usage.output_tokens > 0

    @check(f"{label} stream")
    def _():
        async def pieces():
            async with Agent(model).run_stream("Hello dear stream") as result:
                return [piece async for piece in result.stream_text(delta=True, debounce_by=None)]

        equal("".join(loop.run_until_complete(pieces())), "Hello dear stream")

    @check(f"{label} tools")
    def _():
        result = run(tools_agent(model), "Call weather now")
        assert "Sun over the city" in result.output, result.output

    @check(f"{label} tools, streamed")
    def _():
        async def output():
            async with tools_agent(model).run_stream("Call weather now") as result:
                return await result.get_output()

        text = loop.run_until_complete(output())
        assert "Sun over the city" in text, text

    @check(f"{label} second turn")
    def _():
        agent = tools_agent(model)
        first = run(agent, "Call weather now")
        second = run(agent, "Thanks", message_history=first.all_messages())
        equal(second.output, "Thanks")

    @check(f"{label} output by a tool")
    def _():
        result = run(Agent(model, output_type=ToolOutput(Weather)), "Rome")
        assert isinstance(result.output, Weather)

    @check(f"{label} native output")
    def _():
        result = run(Agent(model, output_type=NativeOutput(Weather)), "Rome")
        assert isinstance(result.output, Weather)

    @check(f"{label} streamed output")
    def _():
        async def outputs():
            agent = Agent(model, output_type=ToolOutput(Weather))
            async with agent.run_stream("Rome") as result:
                return [output async for output in result.stream_output(debounce_by=None)]

        assert isinstance(loop.run_until_complete(outputs())[-1], Weather)

    @check(f"{label} image")
    def _():
        image = BinaryContent(data=png(), media_type="image/png")
        assert "See" in run(Agent(model), ["See", image]).output


for model in MODELS:
    for face, made in FACES.items():
        check_all(f"{model} {face}", made(model))

for face, made in FACES.items():

    @check(f"{face} unknown model")
    def _():
        try:
            run(Agent(made("sandbox/none")), "Hi")
        except ModelHTTPError as error:
            equal(error.status_code, 404)
            return
        raise AssertionError("it was found")
