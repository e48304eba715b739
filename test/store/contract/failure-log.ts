import { expect, test } from "bun:test"
import type { FailedAttempt, FailedRequest } from "../../../src/store/failure-log.ts"
import type { Engine } from "../engines.ts"
import { TemporaryDirectory } from "../test-database.ts"

function failed(request: string, more: Partial<FailedRequest> = {}): FailedRequest {
  return {
    request,
    at: 1_000,
    endpoint: "/v1/chat/completions",
    status: 404,
    kind: "model_not_found",
    parameter: "model",
    message: "The model `größe` does not exist.",
    account: "ann",
    key: "key_1",
    model: "größe",
    ...more,
  }
}

function attempt(request: string, more: Partial<FailedAttempt> = {}): FailedAttempt {
  return {
    request,
    at: 1_000,
    deployment: "openai/gpt-5",
    status: 500,
    kind: "upstream_error",
    code: null,
    message: "The server had an error",
    ...more,
  }
}

const UNKNOWN = { account: null, key: null, model: null, parameter: null }

/** Tests that an engine fulfills this contract. */
export function failureLogContract(engine: Engine): void {
  test("failures are stored once and read unchanged", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { failures } = served
    expect(await failures.find("req_1")).toBeNull()
    expect(await failures.attempts("req_1")).toEqual([])
    expect(await failures.list({}, null, 10)).toEqual([])
    await failures.sweep({ before: 0, requests: 10, attempts: 10 })
    const attempts = [attempt("req_1"), attempt("req_1", { at: 2_000, code: "overloaded" })]
    for (let time = 0; time < 2; time++) {
      await failures.add([failed("req_1"), failed("req_2", UNKNOWN)], attempts)
    }
    expect(await failures.find("req_1")).toEqual(failed("req_1"))
    expect(await failures.find("req_2")).toEqual(failed("req_2", UNKNOWN))
    expect(await failures.attempts("req_1")).toEqual(attempts)
    expect(await failures.list({}, null, 10)).toHaveLength(2)
    expect(await failures.find("req_\0")).toBeNull()
  })

  test("failures can be filtered and are listed page by page, newest first", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { failures } = served
    await failures.add(
      [
        failed("req_1", { at: 1 }),
        failed("req_2", { at: 2, account: "bob", kind: "insufficient_credits" }),
        failed("req_3", { at: 3, model: "openai/gpt", message: "Wait 5 % LONGER_" }),
        failed("req_4", { at: 3, key: "key_2", endpoint: "/v1/embeddings" }),
        failed("req_5", { at: 4, ...UNKNOWN }),
      ],
      [],
    )
    const found = async (filter: Parameters<typeof failures.list>[0]) =>
      (await failures.list(filter, null, 10)).map(({ request }) => request)
    expect(await found({})).toEqual(["req_5", "req_4", "req_3", "req_2", "req_1"])
    expect(await found({ accounts: ["ann"] })).toEqual(["req_4", "req_3", "req_1"])
    expect(await found({ accounts: ["ann", "bob"] })).toHaveLength(4)
    expect(await found({ accounts: [] })).toEqual([])
    expect(await found({ key: "key_2" })).toEqual(["req_4"])
    expect(await found({ endpoint: "/v1/embeddings" })).toEqual(["req_4"])
    expect(await found({ kind: "insufficient_credits" })).toEqual(["req_2"])
    expect(await found({ without: ["insufficient_credits"] })).not.toContain("req_2")
    expect(await found({ without: [] })).toHaveLength(5)
    expect(await found({ model: "openai/*" })).toEqual(["req_3"])
    expect(await found({ search: "5 % longer_" })).toEqual(["req_3"])
    expect(await found({ search: "the MODEL `größe` does", key: "key_2" })).toEqual(["req_4"])
    expect(await found({ search: "a text that no message contains" })).toEqual([])
    expect(await found({ request: "req_2" })).toEqual(["req_2"])
    expect(await found({ search: "%" })).toEqual(["req_3"])
    expect(await found({ search: "\0" })).toEqual([])
    expect(await found({ from: 2, to: 4 })).toEqual(["req_4", "req_3", "req_2"])
    const counts = async (...without: string[]) =>
      (await failures.count({ from: 2, without }, 2)).toSorted((left, right) => left.at - right.at)
    expect(await counts()).toEqual([
      { at: 2, count: 3 },
      { at: 4, count: 1 },
    ])
    expect((await counts("insufficient_credits"))[0]).toEqual({ at: 2, count: 2 })
    const [first] = await failures.list({}, { at: 3, id: "req_4" }, 1)
    expect(first?.request).toBe("req_3")
  })

  test("old failures are removed, and the number of failures per account is limited", async () => {
    using directory = new TemporaryDirectory()
    await using served = await engine.serve(directory.path)
    const { failures } = served
    const many = Array.from({ length: 30 }, (_, at) => [
      failed(`req_a${at}`, { at }),
      failed(`req_u${at}`, { at, ...UNKNOWN }),
    ])
    const calls = Array.from({ length: 30 }, (_, at) => attempt(`req_a${at}`, { at }))
    await failures.add([...many.flat(), failed("req_b", { at: 5, account: "bob" })], calls)
    await failures.sweep({ before: 3, requests: 10, attempts: 5 })
    const left = await failures.list({}, null, 100)
    expect(left.filter(({ account }) => account === "ann").map(({ at }) => at)).toEqual([
      29, 28, 27, 26, 25, 24, 23, 22, 21, 20,
    ])
    expect(left.filter(({ account }) => account === null)).toHaveLength(10)
    expect(left.filter(({ account }) => account === "bob")).toHaveLength(1)
    expect(await failures.attempts("req_a24")).toEqual([])
    expect(await failures.attempts("req_a25")).toHaveLength(1)
  })
}
