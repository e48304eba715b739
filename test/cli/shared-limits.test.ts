import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { startVendor } from "../relay/scripted-vendor.ts"
import { startSimulator, type Simulator } from "../../simulator/server.ts"
import {
  createInstallation,
  type Installation,
  runJson,
  type ServingProcess,
  startServing,
} from "../support/process.ts"

const ADMIN = "an-operators-token-0123456789"

let simulator: Simulator

beforeAll(() => {
  simulator = startSimulator()
})

afterAll(() => simulator.stop())

const yaml = () => `
server: { port: 0 }
admin_token: ${ADMIN}
providers:
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  sim/echo: { price: { input: 1, output: 2 }, context: 100000, max_output: 1000 }
`

interface Key {
  readonly id: string
  readonly key: string
}

async function createKey(installation: Installation, ...limits: string[]): Promise<Key> {
  return runJson<Key>(installation, "key", "create", "--account", "caller", ...limits)
}

function chat(url: string, key: string, connection: "close" | "keep-alive"): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", connection },
    body: JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "Hello" }] }),
  })
}

async function statusOf(url: string, key: string): Promise<number> {
  const response = await fetch(`${url}/v1/credits`, {
    headers: { authorization: `Bearer ${key}`, connection: "close" },
  })
  await response.text()
  return response.status
}

/**
 * Sends requests one after another on one connection, so that one process answers them. Official clients keep their
 * connections open in this way.
 */
async function onOneConnection(url: string, key: string, times: number): Promise<Response[]> {
  const responses: Response[] = []
  for (let count = 0; count < times; count++) {
    const response = await chat(url, key, "keep-alive")
    await response.text()
    responses.push(response)
  }
  return responses
}

const statusesOf = (responses: readonly Response[]) => responses.map(({ status }) => status)
const passedOf = (statuses: readonly number[]) => statuses.filter((status) => status === 200).length

/** Maximum number of requests that become available during a test, at 60 per minute. */
const DRAINED = 12

describe("four workers", () => {
  let installation: Installation
  let serving: ServingProcess

  beforeAll(async () => {
    installation = createInstallation(yaml())
    await runJson(installation, "account", "create", "caller", "--credits", "5")
    serving = await startServing(installation, { TOLLGATE_WORKERS: "4" })
  })

  afterAll(async () => {
    await serving[Symbol.asyncDispose]()
    installation[Symbol.dispose]()
  })

  test.concurrent("accept exactly 60 requests on one connection with a limit of 60 per minute", async () => {
    const { key } = await createKey(installation, "--rpm", "60")
    const responses = await onOneConnection(serving.url, key, 60)
    expect(passedOf(statusesOf(responses))).toBe(60)
    const [first, ...others] = responses.map(({ headers }) =>
      Number(headers.get("x-ratelimit-remaining-requests")),
    )
    expect(first).toBe(59)
    expect(others.at(-1)).toBeLessThanOrEqual(DRAINED)
  })

  test.concurrent("accept at most 60 requests over all connections with a limit of 60 per minute", async () => {
    const { key } = await createKey(installation, "--rpm", "60")
    const responses = await Promise.all(
      Array.from({ length: 120 }, () => chat(serving.url, key, "close")),
    )
    await Promise.all(responses.map((response) => response.text()))
    expect(passedOf(statusesOf(responses))).toBeWithin(60, 60 + DRAINED)
    const rejected = responses.find(({ status }) => status === 429)
    expect(rejected?.headers.get("x-ratelimit-limit-requests")).toBe("60")
    expect(rejected?.headers.get("x-ratelimit-remaining-requests")).toBe("0")
  })

  test.concurrent("apply a key change made by a command before the command ends", async () => {
    const { id, key } = await createKey(installation)
    const everywhere = () =>
      Promise.all(Array.from({ length: 16 }, () => statusOf(serving.url, key)))
    expect(new Set(await everywhere())).toEqual(new Set([200]))
    await runJson(installation, "key", "revoke", id)
    expect(new Set(await everywhere())).toEqual(new Set([401]))
  })

  test.concurrent("accept one of several requests with a limit of one per minute", async () => {
    const { key } = await createKey(installation, "--rpm", "1")
    const statuses: number[] = []
    for (let count = 0; count < 12; count++) {
      const response = await chat(serving.url, key, "close")
      await response.text()
      statuses.push(response.status)
    }
    expect(passedOf(statuses)).toBe(1)
  })

  const admin = async (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${serving.url}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN}`,
        "content-type": "application/json",
        connection: "close",
      },
      ...(body && { body: JSON.stringify(body) }),
    })

  test.concurrent("accept or reject a key as soon as the key change is confirmed", async () => {
    const accounts = (await (await admin("GET", "/accounts")).json()) as { data: { id: string }[] }
    const account = accounts.data[0]?.id
    const everywhere = async (key: string): Promise<number[]> => [
      ...new Set(await Promise.all(Array.from({ length: 24 }, () => statusOf(serving.url, key)))),
    ]
    for (let times = 0; times < 3; times++) {
      const made = await admin("POST", "/keys", { account, name: `key ${times}` })
      const { id, secret } = (await made.json()) as { id: string; secret: string }
      expect(await everywhere(secret)).toEqual([200])
      const rotated = await admin("POST", `/keys/${id}/rotate`, { grace_seconds: 0 })
      const { secret: next } = (await rotated.json()) as { secret: string }
      expect(await everywhere(secret)).toEqual([401])
      expect(await everywhere(next)).toEqual([200])
      expect((await admin("POST", `/keys/${id}/revoke`)).status).toBe(200)
      expect(await everywhere(next)).toEqual([401])
    }
  })
})

describe("two gateways on one folder", () => {
  test.concurrent("share limits and keys like workers, and do not end each other", async () => {
    using installation = createInstallation(yaml())
    await runJson(installation, "account", "create", "caller", "--credits", "5")
    await using first = await startServing(installation)
    await using second = await startServing(installation)
    const { key } = await createKey(installation, "--rpm", "60")
    const urls = [first.url, second.url]
    const responses = await Promise.all(
      Array.from({ length: 120 }, (_, index) => chat(urls[index % 2] ?? "", key, "close")),
    )
    await Promise.all(responses.map((response) => response.text()))
    expect(passedOf(statusesOf(responses))).toBeWithin(60, 60 + DRAINED)
    expect(await Promise.all(urls.map((url) => statusOf(url, key)))).toEqual([200, 200])
  })
})

test.concurrent("four workers share the health of deployments", async () => {
  using failing = startVendor(() => Response.json({ error: { message: "no" } }, { status: 500 }))
  using installation = createInstallation(`
server: { port: 0 }
providers:
  failing: { vendor: openai-compatible, api_key: upstream, base_url: "${failing.url}" }
  sim: { vendor: openai-compatible, api_key: upstream, base_url: "${simulator.url}/v1" }
models:
  sim/echo:
    price: { input: 1, output: 2 }
    context: 100000
    max_output: 1000
    deployments: [{ provider: failing, weight: 1000000 }, { provider: sim, weight: 1 }]
`)
  await runJson(installation, "account", "create", "caller", "--credits", "5")
  const { key } = await createKey(installation)
  await using serving = await startServing(installation, { TOLLGATE_WORKERS: "4" })
  const began = performance.now()
  for (let count = 0; count < 40; count++) {
    const response = await chat(serving.url, key, "close")
    await response.text()
    expect(response.status).toBe(200)
  }
  // After three failures the deployment cools down. After one second, and then after every two seconds or more, one of
  // all requests tries it again.
  const trials = Math.ceil((performance.now() - began) / 1_000)
  expect(failing.bodies.length).toBeWithin(3, 4 + trials)
})
