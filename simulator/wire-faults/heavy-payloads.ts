import { gzipSync } from "node:zlib"
import { chunk } from "./sound-response.ts"

const MEGABYTE = 1024 * 1024
/** Size in bytes that is larger than any accepted frame. */
const HUGE = 20 * MEGABYTE

/** Returns a function that creates a value on its first call and returns the same value later. */
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
/** A frame with very many elements that is shorter than the longest accepted frame. */
export const elementsInFrame = once(() => chunk(`data: ${manyElements(8_000_000)}\n\n`))
export const elementsAsText = once(() => chunk(manyElements(16_000_000)))
export const choicesInFrame = once(() => chunk(`data: ${manyChoices()}\n\n`))
export const choicesAsText = once(() => chunk(manyChoices()))
/** Compressed data that becomes 200 MB of comments when it is unpacked. */
export const bomb = once(() => gzipSync(Buffer.alloc(200 * MEGABYTE, ": alive and well\n\n")))
