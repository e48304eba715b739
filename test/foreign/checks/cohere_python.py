import asyncio

import cohere
from cohere.core.api_error import ApiError
from cohere.errors import NotFoundError, UnauthorizedError
from harness import KEY, URL, check, equal

DOCUMENTS = ["the cat", "the weather in Rome", "a dog"]
CLIENTS = {"V1": cohere.Client, "V2": cohere.ClientV2}

for name, kind in CLIENTS.items():
    client = kind(api_key=KEY, base_url=URL, timeout=30)

    def rerank(**members):
        options = {"model": "sandbox/rerank", "query": "weather Rome", "documents": DOCUMENTS}
        return client.rerank(**{**options, **members})

    @check(f"{name} rerank")
    def _():
        results = rerank().results
        equal(sorted(result.index for result in results), [0, 1, 2])
        equal(results[0].index, 1)
        scores = [result.relevance_score for result in results]
        equal(scores, sorted(scores, reverse=True))
        assert all(0 <= score <= 1 for score in scores), scores

    @check(f"{name} rerank, the first two")
    def _():
        equal([result.index for result in rerank(top_n=2).results][0], 1)
        equal(len(rerank(top_n=2).results), 2)

    @check(f"{name} rerank is told its units")
    def _():
        equal(rerank().meta.billed_units.search_units, 1.0)

    @check(f"{name} rerank, raw")
    def _():
        raw = client.with_raw_response.rerank(
            model="sandbox/rerank", query="weather Rome", documents=DOCUMENTS
        )
        assert raw.headers["x-request-id"]
        equal(raw.data.results[0].index, 1)

    @check(f"{name} unknown model")
    def _():
        try:
            rerank(model="sandbox/none")
        except NotFoundError as error:
            assert "sandbox/none" in str(error.body), error.body
            return
        raise AssertionError("it was found")

    @check(f"{name} chat model")
    def _():
        try:
            rerank(model="sandbox/echo")
        except ApiError as error:
            equal(error.status_code, 400)
            return
        raise AssertionError("a chat model does not rerank")

    @check(f"{name} wrong key")
    def _():
        try:
            kind(api_key="sk-tg-wrong", base_url=URL).rerank(
                model="sandbox/rerank", query="a", documents=["b"]
            )
        except UnauthorizedError:
            return
        raise AssertionError("it was let in")


client_v1 = cohere.Client(api_key=KEY, base_url=URL, timeout=30)


@check("V1 rerank gives the documents back")
def _():
    answer = client_v1.rerank(
        model="sandbox/rerank", query="weather Rome", documents=DOCUMENTS, return_documents=True
    )
    equal(answer.results[0].document.text, "the weather in Rome")


@check("V1 rerank without documents")
def _():
    answer = client_v1.rerank(
        model="sandbox/rerank", query="weather Rome", documents=DOCUMENTS, return_documents=False
    )
    equal(answer.results[0].index, 1)


@check("V1 rerank of documents with a text")
def _():
    documents = [{"text": text} for text in DOCUMENTS]
    answer = client_v1.rerank(
        model="sandbox/rerank", query="weather Rome", documents=documents, return_documents=True
    )
    equal(answer.results[0].document.text, "the weather in Rome")


@check("V2 rerank from an asynchronous client")
def _():
    async def first():
        client = cohere.AsyncClientV2(api_key=KEY, base_url=URL, timeout=30)
        answer = await client.rerank(
            model="sandbox/rerank", query="weather Rome", documents=DOCUMENTS
        )
        return answer.results[0].index

    equal(asyncio.run(first()), 1)
