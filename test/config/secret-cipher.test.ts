import { SecretFolder } from "../../src/secrets/secret-folder.ts"
import { describe, expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { SecretCipher } from "../../src/config/secret-cipher.ts"

class Folder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), "tollgate-seal-"))

  get keyFile(): string {
    return join(this.path, "secrets", "provider-key")
  }

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true })
  }
}

describe("the seal", () => {
  test("gives back what was sealed, at its place alone, and never seals twice alike", () => {
    using folder = new Folder()
    const seal = new SecretCipher(new SecretFolder(folder.path))
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string({ minLength: 1 }), (text, place) => {
        const sealed = seal.encrypt(place, text)
        expect(seal.open(place, sealed)).toBe(text)
        expect(seal.open(`${place}x`, sealed)).toBeUndefined()
        expect(seal.encrypt(place, text)).not.toBe(sealed)
        // Another process has the same key file.
        expect(new SecretCipher(new SecretFolder(folder.path)).open(place, sealed)).toBe(text)
      }),
      { numRuns: 100 },
    )
  })

  test("notices every changed character", () => {
    using folder = new Folder()
    const seal = new SecretCipher(new SecretFolder(folder.path))
    const sealed = seal.encrypt("provider/a", "secret")
    for (let index = 0; index < sealed.length; index++) {
      const other = sealed[index] === "A" ? "B" : "A"
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1)
      // The padding at the end may decode to the same bytes.
      if (Buffer.from(changed.slice(2), "base64").equals(Buffer.from(sealed.slice(2), "base64")))
        continue
      expect(seal.open("provider/a", changed)).toBeUndefined()
    }
    for (const damaged of ["", "1.", "2.AAAA", "1.AAAA", sealed.slice(0, 20)]) {
      expect(seal.open("provider/a", damaged)).toBeUndefined()
    }
  })

  test("its key is made when the first secret is, readable by its owner alone", () => {
    using folder = new Folder()
    const seal = new SecretCipher(new SecretFolder(folder.path))
    expect(seal.open("a", "1.AAAA")).toBeUndefined()
    expect(() => statSync(folder.keyFile)).toThrow()
    seal.encrypt("a", "b")
    expect(statSync(folder.keyFile).mode & 0o777).toBe(0o600)
    expect(readFileSync(folder.keyFile, "utf8")).toMatch(/^[0-9a-f]{64}$/)
  })

  test("with another key file, a damaged one or none it opens nothing and does not fail", () => {
    using folder = new Folder()
    const sealed = new SecretCipher(new SecretFolder(folder.path)).encrypt("a", "b")
    rmSync(folder.keyFile)
    expect(new SecretCipher(new SecretFolder(folder.path)).open("a", sealed)).toBeUndefined()
    writeFileSync(folder.keyFile, "short")
    expect(new SecretCipher(new SecretFolder(folder.path)).open("a", sealed)).toBeUndefined()
    expect(() => new SecretCipher(new SecretFolder(folder.path)).encrypt("a", "b")).toThrow(
      "damaged",
    )
    writeFileSync(folder.keyFile, "0".repeat(64))
    expect(new SecretCipher(new SecretFolder(folder.path)).open("a", sealed)).toBeUndefined()
  })
})
