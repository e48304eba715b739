import { expect, test } from "bun:test"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createInstallation, PROGRAM_WORDS, runCommand, runJson } from "../support/process.ts"
import { until } from "../support/until.ts"
import { Folders, withKey } from "./backup-folders.ts"

test.concurrent("scheduled backups run at their interval, even after a restart, and failures are reported", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  const { backups } = folders
  await withKey(before)
  const names = () => (existsSync(backups) ? readdirSync(backups) : [])
  const start = (every: string) =>
    Bun.spawn(
      [
        ...PROGRAM_WORDS,
        "--config",
        before.config,
        "--data",
        before.data,
        "backup",
        backups,
        "--every",
        every,
      ],
      { stdout: "ignore", stderr: "pipe" },
    )
  writeFileSync(backups, "in the way")
  const often = start("300ms")
  let errors = ""
  const reading = (async () => {
    for await (const chunk of often.stderr) errors += new TextDecoder().decode(chunk)
  })()
  await until(() => errors.includes("backup failed"))
  rmSync(backups)
  await until(() => names().filter((name) => !name.endsWith(".part")).length >= 2)
  often.kill()
  await Promise.all([often.exited, reading])
  const isOverdue = async () => {
    const { stdout } = await runCommand(before, "--json", "doctor")
    const { checks } = JSON.parse(stdout) as {
      checks: readonly { name: string; result: string; found: string }[]
    }
    const check = checks.find(({ name }) => name === "backup")
    expect(check?.found).toContain(backups)
    return check?.result === "warning"
  }
  await until(isOverdue)
  // The next backup is due in a day, so no backup is made now.
  await runJson(before, "backup", backups, "--record", "--every", "24h")
  const count = names().length
  const seldom = start("24h")
  const { value } = await seldom.stderr.getReader().read()
  expect(new TextDecoder().decode(value)).toContain(`${backups} is due in 23h 59m`)
  seldom.kill()
  await seldom.exited
  expect(names()).toHaveLength(count)
})

test.concurrent("backups by other tools can be recorded, and doctor warns if the last backup is old", async () => {
  using installation = createInstallation("backup: { every: 1m }")
  const checked = async () => {
    const { stdout } = await runCommand(installation, "--json", "doctor")
    const { checks } = JSON.parse(stdout) as { checks: readonly { name: string }[] }
    return checks.find(({ name }) => name === "backup")
  }
  expect(await checked()).toBeUndefined()
  await withKey(installation)
  expect(await checked()).toMatchObject({ result: "warning", fix: expect.any(String) })
  const noted = await runJson(installation, "backup", "zfs", "--record")
  expect(noted).toMatchObject({ place: "zfs", every_ms: null })
  expect(await checked()).toMatchObject({
    result: "ok",
    found: expect.stringMatching(/^\ds old, of .+ at zfs; one is expected every 1m$/),
  })
  const nowhere = await runCommand(installation, "backup")
  expect(nowhere.exitCode).toBe(2)
})
