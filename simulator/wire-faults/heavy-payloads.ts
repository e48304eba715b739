import { gzipSync } from "node:zlib"
import { chunk } from "./sound-answer.ts"

const MEGABYTE = 1024 * 1024
/** Longer than any accepted frame. */
const HUGE = 20 * MEGABYTE

/** Creates a value once, on first use. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

export const longFrame = once(() => chunk(`data: {"a":"${"a".repeat(HUGE)}`))
const manyValues = (): string => `{"a":[${"{},".repeat(2_000_000)}0]}`
const manyElements = (count: number): string => `{"a":[${"0,".repeat(count - 1)}0]}`
const manyChoices = (): string => `{"choices":[${"{},".repeat(490_000)}{}]}`
export const manyInFrame = once(() => chunk(`data: ${manyValues()}\n\n`))
export const manyAsText = once(() => chunk(manyValues()))
/** Shorter than the longest accepted frame. */
export const elementsInFrame = once(() => chunk(`data: ${manyElements(8_000_000)}\n\n`))
export const elementsAsText = once(() => chunk(manyElements(16_000_000)))
export const choicesInFrame = once(() => chunk(`data: ${manyChoices()}\n\n`))
export const choicesAsText = once(() => chunk(manyChoices()))
/** 200 MB of comments when unpacked. */
export const bomb = once(() => gzipSync(Buffer.alloc(200 * MEGABYTE, ": alive and well\n\n")))
