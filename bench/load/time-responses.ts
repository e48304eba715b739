import type { Address } from "../subjects/subject.ts"
import { ResponseReader } from "./response-reader.ts"
import { requestBytes } from "./request.ts"

/** Times in microseconds since the request was sent. */
export interface ResponseTime {
  readonly firstByte: number
  readonly whole: number
}

/**
 * Sends requests one after another on one connection.
 * @throws Error if the status of a response is not 200, or the connection is closed.
 */
export async function timeResponses(
  address: Address,
  body: string,
  count: number,
): Promise<ResponseTime[]> {
  return await timeResponsesUntil(address, body, (responses) => responses === count)
}

/**
 * Sends requests like `timeResponses`, until there are enough responses.
 * @param isEnough called after each response with the number of responses.
 */
export async function timeResponsesUntil(
  address: Address,
  body: string,
  isEnough: (responses: number) => boolean,
): Promise<ResponseTime[]> {
  const request = requestBytes(address, body)
  const reader = new ResponseReader()
  const times: ResponseTime[] = []
  const { promise, resolve, reject } = Promise.withResolvers<undefined>()
  let begun = 0
  let firstByte: number | undefined
  const since = (): number => (performance.now() - begun) * 1_000
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: address.port,
    socket: {
      data(_, bytes) {
        firstByte ??= since()
        if (!reader.take(bytes)) return
        times.push({ firstByte, whole: since() })
        if (reader.status !== 200) reject(new Error(`status ${reader.status}`))
        if (isEnough(times.length)) resolve(undefined)
        else ask()
      },
      close: () => reject(new Error("the connection was closed")),
    },
  })
  const ask = (): void => {
    reader.reset()
    firstByte = undefined
    begun = performance.now()
    socket.write(request)
  }
  ask()
  await promise
  socket.end()
  return times
}
