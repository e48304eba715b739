import { expect, test } from "bun:test"
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { createInstallation, runCommand, runJson, startServing } from "../support/process.ts"
import { Folders, hashAgain, hashOf, type Made, withKey } from "./backup-folders.ts"

test.concurrent("a backup can exclude secrets", async () => {
  using before = createInstallation("server: { port: 0 } # where\n")
  using folders = new Folders("server: { port: 0 }")
  const { backups, restored } = folders
  await withKey(before)
  const all = await runCommand(before, "backup", join(backups, "all"))
  expect(all.stdout).toContain("read provider credentials")
  const { name } = await runJson<Made>(before, "backup", backups, "--without-secrets")
  expect(readdirSync(join(backups, name)).toSorted()).toEqual(["manifest.json", "tollgate.db"])
  const secrets = join(before.data, "secrets")
  const unsigned = await runCommand(restored, "restore", join(backups, name))
  expect([unsigned.exitCode, unsigned.stderr]).toEqual([2, expect.stringContaining("--secrets")])
  const elsewhere = await runCommand(restored, "restore", join(backups, name), "--secrets", backups)
  expect(elsewhere.stderr).toContain("there is no secret 'key-pepper'")
  await runJson(restored, "restore", join(backups, name), "--secrets", secrets)
  expect(readdirSync(join(restored.data, "secrets")).toSorted()).toEqual(
    readdirSync(secrets)
      .filter((each) => each !== "setup-token")
      .toSorted(),
  )
  await using serving = await startServing(restored)
  expect((await fetch(`${serving.url}/readyz`)).status).toBe(200)

  using whole = new Folders("")
  await runJson(whole.restored, "restore", join(backups, "all"))
  const settings = readFileSync(join(whole.restored.data, "settings.yaml"), "utf8")
  expect(settings).toContain("# where")
})

test.concurrent("restore rejects a modified backup without secrets, and secrets of another installation", async () => {
  using before = createInstallation("")
  using stranger = createInstallation("")
  using folders = new Folders("")
  const { backups, restored } = folders
  await withKey(before)
  await withKey(stranger)
  const { name } = await runJson<Made>(before, "backup", backups, "--without-secrets")
  const forged = join(backups, "forged")
  cpSync(join(backups, name), forged, { recursive: true })
  writeFileSync(join(forged, "settings.yaml"), "server: { admin_token: another }")
  hashAgain(forged, (manifest) => {
    const added = { path: "settings.yaml", ...hashOf(join(forged, "settings.yaml")) }
    return { ...manifest, files: [...manifest.files, added] }
  })
  for (const [backup, secrets] of [
    [forged, join(before.data, "secrets")],
    [join(backups, name), join(stranger.data, "secrets")],
  ] as const) {
    const { exitCode, stderr } = await runCommand(restored, "restore", backup, "--secrets", secrets)
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining("its manifest was changed")])
    expect(existsSync(join(restored.data, "tollgate.db"))).toBe(false)
  }

  // A backup that a stranger made with other secrets is not restored in place of a missing backup.
  await runJson(stranger, "backup", join(backups, "theirs"))
  const [theirs = ""] = readdirSync(join(backups, "theirs"))
  const place = join(backups, "theirs", theirs)
  const secrets = join(before.data, "secrets")
  const foreign = await runCommand(restored, "restore", place, "--secrets", secrets)
  expect(foreign.stderr).toContain("signed with other secrets")
})

test.concurrent("restore rejects an older backup under the name of a newer backup", async () => {
  using before = createInstallation("")
  using folders = new Folders("")
  const { backups, restored } = folders
  await withKey(before)
  const { name } = await runJson<Made>(before, "backup", backups)
  const later = name.replace(/-\d{8}T/, "-20991231T")
  cpSync(join(backups, name), join(backups, later), { recursive: true })
  const rejected = await runCommand(restored, "restore", backups)
  expect(rejected.stderr).toContain("which is not the time in its name")
})

test.concurrent("backup files are readable by their owner only", async () => {
  using before = createInstallation("server: { port: 0 }")
  using folders = new Folders("")
  const { backups } = folders
  await withKey(before)
  chmodSync(before.config, 0o644)
  const { name } = await runJson<Made>(before, "backup", backups)
  const files = readdirSync(join(backups, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  expect(files).toContain(join(backups, name, "settings.yaml"))
  expect(files.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([])
})
