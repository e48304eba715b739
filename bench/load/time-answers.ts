import type { Address } from "../subjects/subject.ts"
import { AnswerReader } from "./answer-reader.ts"
import { requestBytes } from "./request.ts"

/** Times in microseconds since the request was sent. */
export interface AnswerTime {
  readonly firstByte: number
  readonly whole: number
}

/**
 * Sends requests one after another on one connection.
 * @throws Error if the status of an answer is not 200, or the connection is closed.
 */
export async function timeAnswers(
  address: Address,
  body: string,
  count: number,
): Promise<AnswerTime[]> {
  return await timeAnswersUntil(address, body, (answers) => answers === count)
}

/**
 * Sends requests like `timeAnswers`, until there are enough answers.
 * @param isEnough called after each answer with the number of answers.
 */
export async function timeAnswersUntil(
  address: Address,
  body: string,
  isEnough: (answers: number) => boolean,
): Promise<AnswerTime[]> {
  const request = requestBytes(address, body)
  const reader = new AnswerReader()
  const times: AnswerTime[] = []
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
