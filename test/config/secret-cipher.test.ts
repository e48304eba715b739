import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { SecretCipher } from "../../src/config/secret-cipher.ts"

class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-secrets-"))

  get keyFile(): string {
    return join(this.path, "secrets", "provider-key")
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

describe("the secret cipher", () => {
  test("decrypts a secret only in the same place, and encrypts equal secrets differently", () => {
    using folder = new Folder()
    const cipher = new SecretCipher(new SecretFolder(folder.path))
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ minLength: 1 }), (text, place) => {
        const encrypted = cipher.encrypt(place, text)
        expect(cipher.decrypt(place, encrypted)).toBe(text)
        expect(cipher.decrypt(`${place}x`, encrypted)).toBeUndefined()
        expect(cipher.encrypt(place, text)).not.toBe(encrypted)
        // Simulates another process with the same key file.
        expect(new SecretCipher(new SecretFolder(folder.path)).decrypt(place, encrypted)).toBe(text)
      }),
      { numRuns: 100 },
    )
  })

  test("detects every modified character", () => {
    using folder = new Folder()
    const cipher = new SecretCipher(new SecretFolder(folder.path))
    const encrypted = cipher.encrypt("provider/a", "secret")
    for (let index = 0; index < encrypted.length; index++) {
      const other = encrypted[index] === "A" ? "B" : "A"
      const changed = encrypted.slice(0, index) + other + encrypted.slice(index + 1)
      // A change of the padding may decode to the same bytes.
      if (Buffer.from(changed.slice(2), "base64").equals(Buffer.from(encrypted.slice(2), "base64")))
        continue
      expect(cipher.decrypt("provider/a", changed)).toBeUndefined()
    }
    for (const damaged of ["", "1.", "2.AAAA", "1.AAAA", encrypted.slice(0, 20)]) {
      expect(cipher.decrypt("provider/a", damaged)).toBeUndefined()
    }
  })

  test("creates its key with the first secret, readable by its owner only", () => {
    using folder = new Folder()
    const cipher = new SecretCipher(new SecretFolder(folder.path))
    expect(cipher.decrypt("a", "1.AAAA")).toBeUndefined()
    expect(() => statSync(folder.keyFile)).toThrow()
    cipher.encrypt("a", "b")
    expect(statSync(folder.keyFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(folder.keyFile, "utf8")).toMatch(/^[0-9a-f]{64}$/)
  })

  test("returns undefined if the key file is different, damaged or missing", () => {
    using folder = new Folder()
    const encrypted = new SecretCipher(new SecretFolder(folder.path)).encrypt("a", "b")
    rmSync(folder.keyFile)
    expect(new SecretCipher(new SecretFolder(folder.path)).decrypt("a", encrypted)).toBeUndefined()
    writeFileSync(folder.keyFile, "short")
    expect(new SecretCipher(new SecretFolder(folder.path)).decrypt("a", encrypted)).toBeUndefined()
    expect(() => new SecretCipher(new SecretFolder(folder.path)).encrypt("a", "b")).toThrow(
      "damaged",
    )
    writeFileSync(folder.keyFile, "0".repeat(64))
    expect(new SecretCipher(new SecretFolder(folder.path)).decrypt("a", encrypted)).toBeUndefined()
  })
})
