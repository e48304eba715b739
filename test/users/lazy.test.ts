import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"

const SOURCE = join(import.meta.dir, "../../src")
/** The path of the contract, relative to the source folder. */
const CONTRACT = "../contract"
const STATIC_IMPORT = /^(?:import|export)\s(?!type\b)[^"]*?from\s*"([^"]+)"|^import\s*"([^"]+)"/gm

/** Returns all modules that a file loads: files of this project by path, and packages by name. */
function loadedBy(entry: string): Set<string> {
  const found = new Set<string>()
  const waiting = [entry]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(file)) continue
    found.add(file)
    if (!file.endsWith(".ts")) continue
    for (const match of readFileSync(join(SOURCE, file), "utf8").matchAll(STATIC_IMPORT)) {
      const name = match[1] ?? match[2] ?? ""
      if (name.startsWith("#contract/")) waiting.push(name.replace(/^[^/]+/, CONTRACT))
      else waiting.push(name.startsWith(".") ? normalize(join(dirname(file), name)) : name)
    }
  }
  return found
}

test("sign-in modules are not loaded before the console is visited", () => {
  const loaded = loadedBy("cli/serve.ts")
  expect(loaded).toContain("app.ts")
  const ofSigningIn = /^(users\/sign-in|@noble|oauth4webapi)/
  expect([...loaded].filter((name) => ofSigningIn.test(name))).toEqual([])
})

test("OpenID Connect is loaded at the first callback of an issuer", () => {
  const loaded = loadedBy("users/users.ts")
  expect(loaded).toContain("users/issuers.ts")
  expect([...loaded].filter((name) => name.startsWith("oauth4webapi"))).toEqual([])
  expect(loadedBy("users/oidc.ts")).toContain("oauth4webapi")
})

test("WebAuthn is loaded for the first passkey", () => {
  const loaded = loadedBy("users/users.ts")
  expect(loaded).toContain("users/passkeys.ts")
  expect([...loaded].filter((name) => name.startsWith("@simplewebauthn"))).toEqual([])
  expect(loadedBy("users/webauthn.ts")).toContain("@simplewebauthn/server")
})
