import asyncio
from typing import Literal

import instructor
from harness import KEY, MODELS, URL, check, equal
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

plain = OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0, timeout=30)


class Street(BaseModel):
    name: str
    lengths: list[int]


class Place(BaseModel):
    name: str
    kind: Literal["city", "village"]
    degrees: float
    streets: list[Street]
    nickname: str | None = None


MODES = {
    "tools": instructor.Mode.TOOLS,
    "JSON schema": instructor.Mode.JSON_SCHEMA,
    "responses": instructor.Mode.RESPONSES_TOOLS,
}


def ask(text):
    return [{"role": "user", "content": text}]


for model in MODELS:
    for mode, value in MODES.items():
        client = instructor.from_openai(plain, mode=value)

        @check(f"{model} {mode} structured")
        def _():
            place = client.create(
                model=model, messages=ask("Rome"), response_model=Place, max_retries=0
            )
            assert isinstance(place, Place)

        @check(f"{model} {mode} structured, with the answer")
        def _():
            place, answer = client.create_with_completion(
                model=model, messages=ask("Rome"), response_model=Place, max_retries=0
            )
            assert isinstance(place, Place)
            assert answer.usage.total_tokens > 0

        @check(f"{model} {mode} partial stream")
        def _():
            places = list(
                client.create_partial(
                    model=model, messages=ask("Rome"), response_model=Place, max_retries=0
                )
            )
            # Gemini sends the arguments of a call in one piece.
            assert len(places) > 1 or model == "sandbox/gemini", "it came in one piece"
            Place.model_validate(places[-1].model_dump())

        @check(f"{model} {mode} asynchronous")
        def _():
            async def place():
                async with AsyncOpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0) as api:
                    return await instructor.from_openai(api, mode=value).create(
                        model=model, messages=ask("Rome"), response_model=Place, max_retries=0
                    )

            assert isinstance(asyncio.run(place()), Place)

    tools = instructor.from_openai(plain, mode=instructor.Mode.TOOLS)

    @check(f"{model} several things")
    def _():
        streets = list(
            tools.create_iterable(
                model=model, messages=ask("Streets"), response_model=Street, max_retries=0
            )
        )
        assert len(streets) > 0
        assert all(isinstance(street, Street) for street in streets)

    @check(f"{model} a number")
    def _():
        number = tools.create(
            model=model, messages=ask("How many?"), response_model=int, max_retries=0
        )
        equal(type(number), int)
