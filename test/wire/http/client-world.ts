/** A client of the gateway, and functions that send its requests. */
import type { HttpResponse } from "../../../src/wire/http/response.ts"
import { HttpClient } from "../../../src/wire/http/client.ts"
import type { HttpBody } from "../../../src/wire/http/request.ts"
import type { Sending } from "../../../src/wire/http/sending.ts"

export let client: HttpClient

export async function setUp(): Promise<void> {
  client = new HttpClient({})
}

export async function tearDown(): Promise<void> {
  await client[Symbol.dispose]()
}

export function send(
  url: string,
  body: HttpBody = "{}",
  headers: Record<string, string> = {},
): Sending {
  return client.send({ url, headers: new Headers(headers), body })
}

export async function bodyOf({ body }: HttpResponse): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body)).toString()
}

export async function textOf(sending: Sending): Promise<string> {
  return bodyOf(await sending.response)
}

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

export function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift()
      if (chunk === undefined) controller.close()
      else controller.enqueue(new TextEncoder().encode(chunk))
    },
  })
}
