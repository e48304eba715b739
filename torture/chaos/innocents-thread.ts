/** The thread of `Innocents`. It runs a working vendor, and callers that send requests one after another. */

export type ToThread = "take" | "stop" | { readonly nodes: readonly string[]; readonly key: string }

export interface FromThread {
  readonly vendorUrl: string
  /** Durations of responses in milliseconds. */
  readonly times: readonly number[]
  /** Durations of the same responses without a gateway, in milliseconds. They show how slow the machine itself is. */
  readonly directTimes: readonly number[]
  readonly failures: readonly string[]
}

declare const self: Worker

/** Pause between a response and the caller's next request, in milliseconds. */
const PAUSE_MS = 10
const CALLERS_PER_NODE = 2
const RESPONSE = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
}

const vendor = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    await request.text()
    return Response.json(RESPONSE)
  },
})
let times: number[] = []
let directTimes: number[] = []
let failures: string[] = []
/** The calls continue until `isOver` is true. */
const state = { isOver: false }
let calling: Promise<unknown> = Promise.resolve()

async function call(url: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const body = JSON.stringify({ model: "innocent/m", messages: [{ role: "user", content: "Hi" }] })
  const askAt = async (address: string, take: (time: number) => void): Promise<void> => {
    const begun = performance.now()
    try {
      const response = await fetch(address, { method: "POST", headers, body })
      const text = await response.text()
      if (response.status !== 200) failures.push(`${response.status} ${text}`)
    } catch (error) {
      failures.push(String(error))
    }
    take(performance.now() - begun)
  }
  while (!state.isOver) {
    await askAt(`http://127.0.0.1:${vendor.port}`, (time) => directTimes.push(time))
    await askAt(`${url}/v1/chat/completions`, (time) => times.push(time))
    await Bun.sleep(PAUSE_MS)
  }
}

function tell(): void {
  const told: FromThread = {
    vendorUrl: `http://127.0.0.1:${vendor.port}/v1`,
    times,
    directTimes,
    failures,
  }
  times = []
  directTimes = []
  failures = []
  self.postMessage(told)
}

self.addEventListener("message", async ({ data }: MessageEvent<ToThread>) => {
  if (typeof data === "object") {
    const urls = data.nodes.flatMap((url) => Array.from({ length: CALLERS_PER_NODE }, () => url))
    calling = Promise.all(urls.map((url) => call(url, data.key)))
    return
  }
  if (data === "stop") {
    state.isOver = true
    await calling
  }
  tell()
})

tell()
