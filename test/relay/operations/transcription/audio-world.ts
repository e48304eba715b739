/** The gateway, the caller and the requests for tests of audio. */
import { expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { audioModels, wave } from "../../../support/audio.ts"
import { startGateway, type TestCaller, type TestGateway } from "../../../support/gateway.ts"
import { until } from "../../../support/until.ts"

export let gateway: TestGateway
export let caller: TestCaller

export async function setUp(): Promise<void> {
  gateway = await startGateway(audioModels())
  caller = await gateway.caller("10")
}

export async function tearDown(): Promise<void> {
  await gateway[Symbol.asyncDispose]()
}

export const SOUND = wave(3)
export const LIMIT = 25 * 1024 * 1024

type Fields = Readonly<Record<string, string>>

export function form(
  fields: Fields,
  ...files: readonly (Uint8Array<ArrayBuffer> | string)[]
): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  for (const file of files) data.append("file", new File([file], "speech.mp3"))
  return data
}

export function upload(
  body: FormData,
  path = "transcriptions",
  headers: Fields = {},
): Promise<Response> {
  return fetch(`${gateway.url}/v1/audio/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${caller.key}`, ...headers },
    body,
  })
}

export const speak = (body: object, headers: Fields = {}): Promise<Response> =>
  caller.post("/v1/audio/speech", { model: "sim/tts-1", voice: "alloy", ...body }, headers)

/** Asserts that nothing is held or charged, that the vendor received no request, and that no file remains. */
export async function untouched(
  reject: () => Promise<Response>,
  isCalled = false,
): Promise<Response> {
  const before = await caller.balance()
  const requests = gateway.simulator.requests.length
  const response = await reject()
  await nothingHeld()
  expect(await caller.balance()).toBe(before)
  if (!isCalled) expect(gateway.simulator.requests.length).toBe(requests)
  expect(readdirSync(join(gateway.settings.data, "uploads"))).toEqual([])
  return response
}

export async function nothingHeld(): Promise<void> {
  await until(async () => {
    const response = await caller.get("/v1/credits")
    const credits = (await response.json()) as { available: string; balance: string }
    return credits.available === credits.balance
  })
}

/** Returns the receipt of a response once it is written. */
export async function receiptOf(response: Response): Promise<Receipt> {
  const id = response.headers.get("x-request-id") ?? ""
  return (await (await caller.get(`/v1/receipts/${id}`)).json()) as Receipt
}

interface Receipt {
  readonly status: string
  readonly estimated: boolean
  readonly usage: Readonly<Record<string, number>>
}

interface TranscriptBody {
  readonly text: string
  readonly task: string
  readonly duration: number
  readonly segments: readonly { readonly speaker?: string }[]
}

export async function transcriptOf(response: Response): Promise<TranscriptBody> {
  return (await response.json()) as TranscriptBody
}

interface ErrorBody {
  readonly error: { readonly code: string; readonly param: string; readonly message: string }
}

export async function errorOf(response: Response) {
  const { error } = (await response.json()) as ErrorBody
  return { status: response.status, code: error.code, param: error.param, message: error.message }
}
