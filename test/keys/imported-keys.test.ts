import { expect, test } from "bun:test"
import { KeyHasher } from "../../src/keys/secret.ts"
import { COMMAND_LINE } from "../../src/management/actor.ts"
import { Audit } from "../../src/management/audit.ts"
import { Imports } from "../../src/management/imports.ts"
import { Keys } from "../../src/management/keys.ts"
import { TestDatabase } from "../store/test-database.ts"
import { ask, bearer, desk, hasher } from "./support.ts"

const LITELLM = "sk-1234567890abcdefghijkl"
const NEW_API = `sk-${"A1b2C3d4".repeat(6)}`
const digest = new Bun.CryptoHasher("sha256").update(LITELLM).digest("hex")

test("keys imported from other gateways are accepted, rotated and revoked, and their stored form is not accepted", async () => {
  await using database = TestDatabase.direct()
  const { keyring } = await desk(database)
  const audit = new Audit(database.store)
  const keys = new Keys(database.store, audit, hasher, {
    changed: () => keyring.changed(),
  })
  const input = { name: "old" }
  const imports = new Imports(database.store, audit, hasher, () => keyring.changed())
  await imports.apply(COMMAND_LINE, [
    {
      id: "imported",
      name: "imported",
      limits: {},
      isPaused: false,
      credits: 0n,
      note: "from elsewhere",
      keys: [
        { id: "key_a", input, isPaused: false, secret: { digest, hint: "ijkl" } },
        { id: "key_b", input, isPaused: false, secret: { secret: NEW_API, hint: "C3d4" } },
      ],
    },
  ])
  expect(ask(keyring, bearer(LITELLM))).toBe("key_a")
  expect(ask(keyring, { "x-api-key": NEW_API })).toBe("key_b")
  const stored = (await database.store.keys.find("key_a"))?.secrets[0]?.hash ?? ""
  // Neither the digest in LiteLLM's database nor the stored value is accepted as a key.
  for (const wrong of [digest, `sha256:${digest}`, stored, `${LITELLM}x`, "x".repeat(100_000)]) {
    expect(ask(keyring, bearer(wrong))).toBe("invalid_api_key")
  }
  // Another installation cannot derive the key's digest from the stored value.
  expect(stored).not.toBe(digest)
  expect(stored).not.toBe(new KeyHasher("another pepper").hashDigest(digest))
  const { secret } = await keys.rotate(COMMAND_LINE, "key_a", 60_000)
  expect([ask(keyring, bearer(secret)), ask(keyring, bearer(LITELLM))]).toEqual(["key_a", "key_a"])
  await keys.revoke(COMMAND_LINE, "key_a")
  await keys.revoke(COMMAND_LINE, "key_b")
  for (const revoked of [secret, LITELLM, NEW_API]) {
    expect(ask(keyring, bearer(revoked))).toBe("invalid_api_key")
  }
})
