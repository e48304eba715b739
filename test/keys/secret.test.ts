import { describe, expect, test } from "bun:test"
import { randomText } from "../../src/canon/random-text.ts"
import { hintOf, KeyHasher, looksLikeKey, newSecret } from "../../src/keys/secret.ts"

describe("a key secret", () => {
  test("has the format of a key and is never repeated", () => {
    const secrets = Array.from({ length: 1_000 }, newSecret)
    for (const secret of secrets) expect(secret).toMatch(/^sk-tg-[0-9A-Za-z]{43}$/)
    expect(secrets.every(looksLikeKey)).toBe(true)
    expect(new Set(secrets).size).toBe(1_000)
    expect(hintOf("sk-tg-abcdWXYZ")).toBe("WXYZ")
  })

  test("contains every character about equally often", () => {
    const counts = new Map<string, number>()
    for (const character of randomText(62_000)) {
      counts.set(character, (counts.get(character) ?? 0) + 1)
    }
    expect(counts.size).toBe(62)
    for (const count of counts.values()) {
      expect(count).toBeGreaterThan(800)
      expect(count).toBeLessThan(1_200)
    }
  })

  test("has an HMAC-SHA-256 hash that differs in each installation", () => {
    const hash = new KeyHasher("Jefe").hash("what do ya want for nothing?")
    // RFC 4231, test case 2.
    expect(hash).toBe("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    expect(new KeyHasher("other").hash("what do ya want for nothing?")).not.toBe(hash)
  })
})
