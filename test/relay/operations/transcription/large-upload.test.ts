import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { audioModels, heardIn, wave } from "../../../support/audio.ts"
import {
  provider,
  startGateway,
  type TestCaller,
  type TestGateway,
} from "../../../support/gateway.ts"

let gateway: TestGateway
let caller: TestCaller

beforeAll(async () => {
  gateway = await startGateway(audioModels())
  caller = await gateway.caller("10")
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Sent {
  readonly url: string
  readonly key: string
  readonly type?: string
}

function upload(body: FormData | ReadableStream, { url, key, type }: Sent): Promise<Response> {
  return fetch(`${url}/v1/audio/transcriptions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      ...(type !== undefined && { "content-type": type }),
    },
    body,
  })
}

function formOf(model: string, sound: Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData()
  form.append("model", model)
  form.append("file", new File([sound], "speech.wav"))
  return form
}

async function textOf(response: Response): Promise<string> {
  return ((await response.json()) as { text: string }).text
}

/** Returns the bytes in chunks of many different sizes. */
function cut(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const sizes = [1, 7, 60, 4_096, 65_536, 65_537, 300_000]
  let at = 0
  let turn = 0
  return new ReadableStream({
    pull(controller) {
      const end = at + (sizes[turn++ % sizes.length] ?? 1)
      controller.enqueue(bytes.slice(at, end))
      at = end
      if (at >= bytes.length) controller.close()
    },
  })
}

describe("a large audio file of noise", () => {
  const noise = wave(300)
  for (let at = 44; at < noise.length; at += 65_536) {
    crypto.getRandomValues(noise.subarray(at, Math.min(at + 65_536, noise.length)))
  }

  for (const model of ["sim/whisper-1", "deepgram/nova-3"]) {
    test(`reaches ${model} unchanged`, async () => {
      const response = await upload(formOf(model, noise), { url: gateway.url, key: caller.key })
      expect(await textOf(response)).toBe(heardIn(noise))
    })

    test(`reaches ${model} unchanged for any split into chunks`, async () => {
      const whole = new Response(formOf(model, noise))
      const type = whole.headers.get("content-type") ?? ""
      const chunks = cut(await whole.bytes())
      const response = await upload(chunks, { url: gateway.url, key: caller.key, type })
      expect(await textOf(response)).toBe(heardIn(noise))
    })
  }

  test("reaches the second deployment completely if the first fails", async () => {
    const options = audioModels()
    const failing = { headers: { "x-simulate-fault": "500" } }
    await using other = await startGateway({
      ...options,
      providersAt: (url) => ({
        ...options.providersAt?.(url),
        failing: { ...provider(`${url}/v1`), ...failing },
      }),
      models: {
        "sim/twice": {
          kind: "transcription",
          price: { second: "100" },
          deployments: [
            { provider: "failing", model: "whisper-1", weight: 1_000_000 },
            { provider: "sim", model: "whisper-1", weight: 0.001 },
          ],
        },
      },
    })
    const sender = await other.caller("10")
    const { url } = other
    const response = await upload(formOf("sim/twice", noise), { url, key: sender.key })
    expect(await textOf(response)).toBe(heardIn(noise))
    expect(other.simulator.requests.length).toBe(2)
  })
})
