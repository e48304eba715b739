import { expect, test } from "bun:test"
import { ConversationCipher } from "../../../src/relay/state/conversation-cipher.ts"

const cipher = new ConversationCipher("a secret of the installation")
const SLICE = 1024 * 1024

test.each([
  ["an empty text", ""],
  ["a short text", "Hello, 👋"],
  ["a text of one slice", "a".repeat(SLICE)],
  ["a text whose slice would end within a character", `${"a".repeat(SLICE - 1)}👋é`],
  ["a text of many slices of such characters", "👋é".repeat(SLICE)],
])("a conversation with %s is unchanged after encryption and decryption", async (_, text) => {
  const part = await cipher.encrypt("hash", Buffer.from(text))
  expect((await cipher.decrypt(part))?.toString() === text).toBe(true)
  expect(await cipher.decrypt({ ...part, hash: "another" })).toBeUndefined()
})
