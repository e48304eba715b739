import { expect, test } from "bun:test"
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInstallation, runCommand, runJson } from "../support/process.ts"

interface Verified {
  readonly is_right: boolean
  readonly entries: number
  readonly continued_from: { readonly entries: number } | null
}

test("ledger verify resumes from the last verified position only if requested", async () => {
  using installation = createInstallation("")
  const { data } = installation
  await runJson(installation, "account", "create", "acme", "--credits", "5")
  await runJson(installation, "key", "create", "--account", "acme")
  const verify = (...words: string[]) =>
    runJson<Verified>(installation, "ledger", "verify", ...words)

  expect(await verify()).toMatchObject({ entries: 1, continued_from: null })
  expect(existsSync(join(data, "verified.json"))).toBe(false)
  expect(await verify("--continue")).toMatchObject({ entries: 1, continued_from: null })
  await runJson(installation, "credits", "grant", "acme", "2")
  const further = await runCommand(installation, "ledger", "verify", "--continue")
  expect(further.stdout).toMatch(/entries: +1, after 1 that were verified until 20/)
  expect(await verify("--continue")).toMatchObject({
    is_right: true,
    entries: 0,
    continued_from: { entries: 2 },
  })
  expect(await verify()).toMatchObject({ entries: 2, continued_from: null })

  // A checkpoint that belongs to another folder is not used.
  writeFileSync(join(data, "verified.json"), "{}")
  expect(await verify("--continue")).toMatchObject({ entries: 2, continued_from: null })
  rmSync(join(data, "verified.json"))
  // If the checkpoint cannot be stored, the verification still runs.
  mkdirSync(join(data, "verified.json", "in the way"), { recursive: true })
  const unkept = await runCommand(installation, "ledger", "verify", "--continue")
  expect(unkept.exitCode).toBe(0)
  expect(unkept.stdout).toContain("every row is correct")
  expect(unkept.stderr).toContain("the checkpoint cannot be stored")
  rmSync(join(data, "secrets"), { recursive: true })
  const bare = await runCommand(installation, "ledger", "verify", "--continue")
  expect(bare.stderr).toContain("has no secrets to sign a checkpoint with")
})

test("ledger verify reports where the ledger was expected, and exits with code 4", async () => {
  using installation = createInstallation("")
  const place = join(installation.data, "tollgate.db")
  for (const words of [[], ["--json"]]) {
    const missing = await runCommand(installation, ...words, "ledger", "verify")
    expect(missing).toMatchObject({ exitCode: 4, stdout: "" })
    expect(missing.stderr).toContain(place)
  }
})
