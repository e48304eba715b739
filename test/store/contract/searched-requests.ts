import { describe, expect, test } from "bun:test"
import type { FailedAttempt, FailedRequest } from "../../../src/store/failure-log.ts"
import { firstRequestOf, startOf } from "../../../src/store/request-search.ts"
import type { RequestFilter } from "../../../src/store/requests.ts"
import type { Engine } from "../engines.ts"
import { found, ReportedEngine } from "../reported-requests.ts"

const HOUR = 3_600_000
const AT = Date.UTC(2026, 2, 2, 10)

/** Returns the id of a request that starts some milliseconds after `AT`. */
function idAt(delay: number): string {
  return `${firstRequestOf(AT + delay)}-7000-8000-000000000000`
}

function failedRequest(delay: number, change: Partial<FailedRequest> = {}): FailedRequest {
  return {
    request: idAt(delay),
    at: AT + delay + 5,
    endpoint: "/v1/messages",
    status: 502,
    kind: "upstream_error",
    parameter: null,
    message: "The provider failed.",
    account: "a",
    key: "key_a",
    model: "sim/echo",
    ...change,
  }
}

function failedAttempt(delay: number, change: Partial<FailedAttempt> = {}): FailedAttempt {
  const known = { deployment: "sim/echo", status: 404, kind: "upstream_error", code: null }
  return { request: idAt(delay), at: AT + delay + 5, ...known, message: "No such model", ...change }
}

/** Tests that an engine fulfills this contract. */
export function searchedRequestContract(engine: Engine): void {
  describe("the search for requests", () => {
    test("finds names that contain a text, and labels that begin with it", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.database.key("key_c", "b", null)
      await own.add(
        { request: idAt(1), at: AT, model: "sim/Large", labels: { user: "anna", session: "s" } },
        { request: idAt(2), at: AT + HOUR, model: "sim/large-2", account: "b" },
        { request: idAt(3), at: AT, model: "other", labels: { tags: { team: "an", annex: "1" } } },
      )
      const reports = await own.reports.upToDate()
      const names = await reports.names("LARGE", undefined)
      expect(names.models.toSorted()).toEqual(["sim/Large", "sim/large-2"])
      expect((await reports.names("KEY_", undefined)).keys.toSorted()).toEqual([
        "key_a",
        "key_b",
        "key_c",
      ])
      expect(await reports.names("key_", ["a"])).toMatchObject({
        keys: ["key_a"],
        accountsOfKeys: ["a"],
      })
      expect((await reports.names("KEY_", undefined)).accountsOfKeys.toSorted()).toEqual(["a", "b"])
      expect((await reports.names("ann", ["a"])).labels).toEqual([
        { name: "user", value: "anna" },
        { name: "tag", value: "annex=1" },
      ])
      const nothing = { keys: [], accountsOfKeys: [], models: [], labels: [] }
      expect(await reports.names("%", undefined)).toEqual(nothing)
      expect((await reports.names("\0", undefined)).models).toEqual([])
    })

    test("finds a model that is used after the first search", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add({ request: idAt(1), at: AT, model: "first" })
      const found = async (text: string) =>
        (await (await own.reports.upToDate()).names(text, undefined)).models
      expect(await found("first")).toEqual(["first"])
      await own.add({ request: idAt(2), at: AT - 2 * HOUR, model: "second" })
      await own.add({ request: idAt(3), at: AT + 30 * HOUR, model: "third" })
      expect(await found("second")).toEqual(["second"])
      expect(await found("third")).toEqual(["third"])
      expect(await found("first")).toEqual(["first"])
    })

    test("counts requests with labels, and the failed ones among them", async () => {
      await using own = await ReportedEngine.on(engine)
      const labels = { user: "anna", tags: { team: "blue" } }
      await own.add(
        { request: idAt(1), at: AT, labels },
        { request: idAt(2), at: AT + 1, labels: { user: "anna" }, outcomes: ["upstream_error"] },
        { request: idAt(3), at: AT + HOUR, labels, account: "b", outcomes: ["upstream_error"] },
        { request: idAt(4), at: AT + 2 * HOUR, labels },
        { request: idAt(5), at: AT, outcomes: ["upstream_error"] },
      )
      const reports = await own.reports.upToDate()
      const user = { name: "user", value: "anna" } as const
      const counted = async (filter: RequestFilter) =>
        (await reports.count([filter], HOUR)).toSorted((left, right) => left.at - right.at)
      const range = { from: AT, to: AT + 2 * HOUR }
      expect(await counted({ labels: [user], ...range })).toEqual([
        { at: AT, answered: 1, failed: 1 },
        { at: AT + HOUR, answered: 0, failed: 1 },
      ])
      expect(await counted({ labels: [user], accounts: ["a"], ...range })).toEqual([
        { at: AT, answered: 1, failed: 1 },
      ])
      expect(await counted({ labels: [user, { name: "tag", value: "team=blue" }] })).toEqual([
        { at: AT, answered: 1, failed: 0 },
        { at: AT + HOUR, answered: 0, failed: 1 },
        { at: AT + 2 * HOUR, answered: 1, failed: 0 },
      ])
    })

    test("counts a request once if hundreds of filters match it", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        { request: idAt(1), at: AT, labels: { user: "user-1", session: "user-2" } },
        { request: idAt(2), at: AT, labels: { user: "user-699" }, outcomes: ["upstream_error"] },
        { request: idAt(3), at: AT + HOUR, labels: { user: "user-700" } },
        { request: idAt(4), at: AT + HOUR, labels: { user: "user-3" }, account: "b" },
      )
      const reports = await own.reports.upToDate()
      const filters = Array.from({ length: 700 }, (_, index): RequestFilter => {
        const value = `user-${index % 350 === 2 ? 2 : index}`
        const name = index % 350 === 2 ? "session" : "user"
        return { labels: [{ name, value }], accounts: ["a"] }
      })
      for (let count = 0; count < 2; count++) {
        expect(await reports.count(filters, HOUR)).toEqual([{ at: AT, answered: 1, failed: 1 }])
      }
    })

    test("returns no labels if too many begin with a text", async () => {
      await using own = await ReportedEngine.on(engine)
      const labels = Array.from({ length: 51 }, (_, index) => ({ user: `user-${index}` }))
      await own.add(
        ...labels.map((label, index) => ({ request: idAt(index), at: AT + index, labels: label })),
        { request: idAt(99), at: AT, labels: { user: "other" } },
      )
      const reports = await own.reports.upToDate()
      expect((await reports.names("user-", undefined)).labels).toBeUndefined()
      expect((await reports.names("user-4", undefined)).labels).toHaveLength(11)
      expect(await found(own, { labelPrefix: "user-" }, 100)).toHaveLength(51)
      expect(await found(own, { labelPrefix: "user-50" })).toEqual([idAt(50)])
      expect(await found(own, { labelPrefix: "user-50", accounts: ["b"] })).toEqual([])
      await own.add({
        request: idAt(200),
        at: AT,
        labels: { session: "chat-1", tags: { team: "blue" } },
      })
      await own.reports.upToDate()
      expect(await found(own, { labelPrefix: "chat" })).toEqual([idAt(200)])
      expect(await found(own, { labelPrefix: "team=b" })).toEqual([idAt(200)])
      expect(await found(own, { labelPrefix: "blue" })).toEqual([])
    })

    test("lists the requests with given keys, models or ids", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        { request: idAt(1), at: AT, model: "one" },
        { request: idAt(2), at: AT + 5 * HOUR, model: "two", account: "b" },
        { request: idAt(3), at: AT + 2 * HOUR, model: "two", outcomes: ["upstream_error"] },
        { request: idAt(4), at: AT + HOUR, model: "three", labels: { user: "anna" } },
      )
      const labels = [{ name: "user", value: "anna" } as const]
      expect(await found(own, { requests: [idAt(1), idAt(4)], labels })).toEqual([idAt(4)])
      expect(await found(own, { requests: [idAt(1)], labels })).toEqual([])
      expect(await found(own, { models: ["one", "two"] })).toEqual([idAt(2), idAt(3), idAt(1)])
      expect(await found(own, { models: ["one", "two"], model: "t*" })).toEqual([idAt(2), idAt(3)])
      expect(await found(own, { models: ["one", "two"], accounts: ["a"] })).toEqual([
        idAt(3),
        idAt(1),
      ])
      expect(await found(own, { keys: ["key_b", "key_x"] })).toEqual([idAt(2)])
      expect(await found(own, { keys: ["key_b"], key: "key_a" })).toEqual([])
      expect(await found(own, { requests: [idAt(1), idAt(3), "req_x"] })).toEqual([
        idAt(3),
        idAt(1),
      ])
      expect(await found(own, { requests: [idAt(1), idAt(3)], failed: true })).toEqual([idAt(3)])
      const many = Array.from({ length: 100 }, (_, index) => `model-${index}`)
      expect(await found(own, { models: ["three", ...many] })).toEqual([idAt(4)])
    })

    test("counts requests that match several filters once", async () => {
      await using own = await ReportedEngine.on(engine)
      await own.add(
        { request: idAt(1), at: AT, model: "one", labels: { user: "anna" } },
        { request: idAt(2), at: AT + 1, model: "one", outcomes: ["upstream_error"] },
        { request: idAt(3), at: AT + HOUR, model: "two", account: "b", labels: { user: "anna" } },
        { request: idAt(4), at: AT + HOUR, model: "three" },
      )
      const reports = await own.reports.upToDate()
      const labels = [{ name: "user", value: "anna" } as const]
      const filters = [
        { models: ["one"] },
        { labels },
        { requests: [idAt(2)] },
        { keys: ["key_b"] },
      ]
      const counts = await reports.count(filters, HOUR)
      expect(counts.toSorted((left, right) => left.at - right.at)).toEqual([
        { at: AT, answered: 1, failed: 1 },
        { at: AT + HOUR, answered: 1, failed: 0 },
      ])
      expect(await reports.count([], HOUR)).toEqual([])
      const ofModels = await reports.count([{ models: ["one", "two"], from: AT }], HOUR)
      expect(ofModels.toSorted((left, right) => left.at - right.at)).toEqual([
        { at: AT, answered: 1, failed: 1 },
        { at: AT + HOUR, answered: 1, failed: 0 },
      ])
      const failed = await reports.count([{ models: ["one"], failed: true }], HOUR)
      expect(failed).toEqual([{ at: AT, answered: 0, failed: 1 }])
      expect(await reports.count([{ requests: [idAt(1), idAt(2)], labels }], HOUR)).toEqual([
        { at: AT, answered: 1, failed: 0 },
      ])
      expect(await reports.reachOfMatches(filters, 100)).toBeNull()
      expect(await reports.reachOfMatches([{ models: ["one", "two"] }], 2)).not.toBeNull()
    })

    test("finds requests by the messages of their errors", async () => {
      await using own = await ReportedEngine.on(engine)
      const { failures } = own
      await failures.add(
        [
          failedRequest(1),
          failedRequest(2, { kind: "model_not_found" }),
          failedRequest(3, { account: "b", message: "The PROVIDER timed out" }),
          failedRequest(4, { account: "b" }),
        ],
        [
          failedAttempt(4),
          failedAttempt(5),
          failedAttempt(5, { at: AT + 9, message: "no such b" }),
        ],
      )
      const kinds = ["upstream_error"]
      const all = { text: "provider", kinds }
      const searched = async (...parameters: Parameters<typeof failures.search>) => {
        const result = await failures.search(...parameters)
        expect(result.unsearched).toBeNull()
        return result.requests
      }
      expect(await searched(all, 10)).toEqual([idAt(4), idAt(3), idAt(1)])
      expect(await searched(all, 2)).toEqual([idAt(4), idAt(3)])
      expect(await searched({ ...all, accounts: ["a"] }, 10)).toEqual([idAt(1)])
      const range = { from: firstRequestOf(AT + 2), before: firstRequestOf(AT + 4) }
      expect(await searched({ ...all, ...range }, 10)).toEqual([idAt(3)])
      const attempts = { text: "no SUCH", kinds }
      expect(await searched(attempts, 10)).toEqual([idAt(5), idAt(4)])
      expect(await searched({ ...attempts, accounts: ["b"] }, 10)).toEqual([idAt(4)])
      expect(await searched({ ...attempts, attemptKinds: ["rejected"] }, 10)).toEqual([])
      expect(await searched({ ...attempts, text: "\0" }, 10)).toEqual([])
    })

    test("finds rejected requests by their message, model or key", async () => {
      await using own = await ReportedEngine.on(engine)
      const { failures } = own
      await failures.add([failedRequest(1, { key: "k1" }), failedRequest(2, { model: null })], [])
      const listed = async (search: string, searchedKeys: readonly string[] = []) =>
        (await failures.list({ search, searchedKeys }, null, 9)).map(({ request }) => request)
      expect(await listed("SIM/")).toEqual([idAt(1)])
      expect(await listed("failed")).toEqual([idAt(2), idAt(1)])
      expect(await listed("laptop")).toEqual([])
      expect(await listed("laptop", ["k1"])).toEqual([idAt(1)])
    })
  })
}

test("request ids contain the start time of the request", () => {
  expect(startOf(idAt(7))).toBe(AT + 7)
  expect(startOf("req_1")).toBeUndefined()
})
