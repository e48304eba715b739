import { mkdtempSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "bun:test"
import { readSecret } from "../../src/secrets/secret-folder.ts"

test("a secret file that is a device is rejected", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-secrets-"))
  try {
    symlinkSync("/dev/null", join(folder, "key-pepper"))
    expect(() => readSecret(folder, "key-pepper")).toThrow("is not a file")
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
