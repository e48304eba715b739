import asyncio

from agents import (
    Agent,
    OpenAIProvider,
    RunConfig,
    Runner,
    function_tool,
    handoff,
    set_tracing_disabled,
)
from harness import KEY, MODELS, URL, check, equal
from pydantic import BaseModel

set_tracing_disabled(True)


class Weather(BaseModel):
    city: str
    degrees: float


@function_tool
def weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: which one
    """
    return "Sun over the city"


@function_tool
def broken(city: str) -> str:
    """A tool that fails."""
    raise ValueError("no connection")


# All checks use one event loop, because the connections of the provider belong to one loop.
loop = asyncio.new_event_loop()

for face in ("responses", "chat"):
    provider = OpenAIProvider(api_key=KEY, base_url=f"{URL}/v1", use_responses=face == "responses")
    settings = RunConfig(model_provider=provider, tracing_disabled=True)

    def run(agent, text, **options):
        return loop.run_until_complete(Runner.run(agent, text, run_config=settings, **options))

    def run_streamed(agent, text):
        async def events():
            result = Runner.run_streamed(agent, text, run_config=settings)
            return result, [event async for event in result.stream_events()]

        return loop.run_until_complete(events())

    for model in MODELS:

        @check(f"{model} {face} run")
        def _():
            result = run(Agent(name="Plain", instructions="Short", model=model), "Hello you")
            equal(result.final_output, "Hello you")
            assert result.context_wrapper.usage.total_tokens > 0

        @check(f"{model} {face} stream")
        def _():
            agent = Agent(name="Plain", instructions="Short", model=model)
            result, events = run_streamed(agent, "Hello stream")
            equal(result.final_output, "Hello stream")
            deltas = [
                event.data.delta
                for event in events
                if event.type == "raw_response_event"
                and event.data.type == "response.output_text.delta"
            ]
            equal("".join(deltas), "Hello stream")

        @check(f"{model} {face} tools")
        def _():
            agent = Agent(name="Tools", model=model, tools=[weather])
            result = run(agent, "Call weather now")
            assert "Sun over the city" in result.final_output, result.final_output

        @check(f"{model} {face} tools, streamed")
        def _():
            agent = Agent(name="Tools", model=model, tools=[weather])
            result, events = run_streamed(agent, "Call weather now")
            assert "Sun over the city" in result.final_output, result.final_output
            names = [event.name for event in events if event.type == "run_item_stream_event"]
            names = [name for name in names if name.startswith("tool")]
            equal(names, ["tool_called", "tool_output"])

        @check(f"{model} {face} tool that fails")
        def _():
            result = run(Agent(name="Tools", model=model, tools=[broken]), "Call broken now")
            assert "no connection" in result.final_output, result.final_output

        @check(f"{model} {face} second turn")
        def _():
            agent = Agent(name="Tools", model=model, tools=[weather])
            first = run(agent, "Call weather now")
            again = [*first.to_input_list(), {"role": "user", "content": "Thanks"}]
            equal(run(agent, again).final_output, "Thanks")

        @check(f"{model} {face} structured")
        def _():
            agent = Agent(name="Structured", model=model, output_type=Weather)
            assert isinstance(run(agent, "Rome").final_output, Weather)

        @check(f"{model} {face} handoff")
        def _():
            other = Agent(name="other", model=model, instructions="Short")
            agent = Agent(name="First", model=model, handoffs=[handoff(other)])
            result = run(agent, "Please transfer_to_other now")
            equal(result.last_agent.name, "other")

        if face == "responses":

            @check(f"{model} {face} second turn, kept")
            def _():
                agent = Agent(name="Tools", model=model, tools=[weather])
                first = run(agent, "Call weather now")
                second = run(agent, "Thanks", previous_response_id=first.last_response_id)
                equal(second.final_output, "Thanks")
