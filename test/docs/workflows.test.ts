import { expect, test } from "bun:test"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkVersions } from "../../scripts/release-version.ts"
import { checkWorkflows } from "../../scripts/workflows.ts"

const ROOT = join(import.meta.dir, "../..")
const CI = ".github/workflows/ci.yml"
const RELEASE = ".github/workflows/release.yml"

test("the workflows have no faults, and all files have the same version", () => {
  expect(checkWorkflows(ROOT)).toEqual([])
  expect(checkVersions(ROOT)).toEqual([])
})

test.each([
  [CI, "run: npm test", "run: npm run tests", "package.json has no script tests"],
  [
    CI,
    "@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1",
    "@v7",
    "pin '- uses: actions/checkout@v7'",
  ],
  [CI, "    timeout-minutes: 120\n", "", "timeout-minutes"],
  [CI, "contents: read", "contents: write", "permissions.contents"],
  [CI, "steps:", "steps: [", "at line"],
  [RELEASE, "needs: test", "needs: tests", "needs the job tests, which is missing"],
  [RELEASE, "package deploy/helm/tollgate", "package deploy/chart", "deploy/chart does not exist"],
  [".github/dependabot.yml", "directory: /test", "directory: /tests", "/tests does not exist"],
])("a workflow check rejects %s if '%s' is replaced", (file, from, to, fault) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-workflows-"))
  try {
    mkdirSync(join(folder, "test"))
    for (const name of [".github", "deploy", "package.json"]) {
      cpSync(join(ROOT, name), join(folder, name), { recursive: true })
    }
    const text = readFileSync(join(folder, file), "utf8")
    expect(text).toContain(from)
    writeFileSync(
      join(folder, file),
      text.replace(from, () => to),
    )
    expect(checkWorkflows(folder).join("\n")).toContain(fault)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test("a workflow check rejects a tag of another version", () => {
  expect(checkVersions(ROOT, "v99.0.0")).toContain(
    "deploy/helm/tollgate/Chart.yaml, version: the version is 0.1.0, not 99.0.0",
  )
})
