import { describe, expect, test } from "bun:test"
import {
  checkDecision,
  checkDependencies,
  checkPackage,
  checkPins,
  checkSizes,
  readLock,
} from "../../scripts/dependencies.ts"

const ROOT = Bun.fileURLToPath(new URL("../..", import.meta.url))
const LOCKED = { path: "node_modules/some", license: "MIT", dev: false, link: false }
const MANIFEST = { dependencies: { some: "1.2.3" }, devDependencies: {} }

test("this checkout has no dependency faults", () => {
  expect(checkDependencies(ROOT)).toEqual([])
})

describe("the check of dependencies", () => {
  test.each(["^1.2.3", "~1.2.3", "1.2", "*", "latest", "1.2.3 || 2.0.0", "github:a/b"])(
    "reports the version %s",
    (version) => {
      const manifest = { dependencies: {}, devDependencies: { some: version } }
      expect(checkPins("package.json", manifest)).toEqual([
        `package.json: some is '${version}', not one exact version`,
      ])
    },
  )

  test.each([">=22", "^18 || ^22.1.0", ">=20.20.0"])("reports the engine %s", (node) => {
    expect(checkPackage({ ...LOCKED, engines: { node } })).toEqual([
      `package-lock.json: node_modules/some asks for Node ${node}, not 20.19.0`,
    ])
  })

  test("reports a package that ships with the gateway and has an unapproved license", () => {
    expect(checkPackage({ ...LOCKED, license: "GPL-3.0" })).toHaveLength(1)
    expect(checkPackage({ ...LOCKED, license: undefined })).toHaveLength(1)
    expect(checkPackage({ ...LOCKED, license: "MPL-2.0" })).toHaveLength(1)
    expect(checkPackage({ ...LOCKED, license: "MPL-2.0", dev: true })).toEqual([])
  })

  test("reports a registry address in the lock file", () => {
    const resolved = "https://registry.example/some/-/some-1.2.3.tgz"
    expect(checkPackage({ ...LOCKED, resolved })).toEqual([
      `package-lock.json: node_modules/some names ${resolved}`,
    ])
  })

  test("reports a dependency without a documented reason, and a reason without a dependency", () => {
    expect(checkDecision("| some | why |", [MANIFEST])).toEqual([])
    expect(checkDecision("| package | for |\n| other | why |", [MANIFEST])).toEqual([
      "docs/contribute/decisions/0010-dependencies.md: has no word of some",
      "docs/contribute/decisions/0010-dependencies.md: has a row for other, which nothing names",
    ])
  })

  test("reports production packages that are too large, excluding the runtime", () => {
    const weighed = (path: string, size: number, dev = false) => ({ ...LOCKED, path, size, dev })
    const runtime = weighed("node_modules/bun", 200e6)
    expect(checkSizes([runtime, weighed("node_modules/some", 150e6)])).toEqual([])
    expect(checkSizes([runtime, weighed("node_modules/some", 151e6)])).toEqual([
      "package-lock.json: production, apart from Bun, takes 151 MB, more than 150 MB: node_modules/some 151 MB",
    ])
    expect(checkSizes([runtime, weighed("node_modules/some", 251e6, true)])).toHaveLength(1)
  })
})

test("workspace packages do not come from a registry", () => {
  const lock = {
    packages: {
      "": {},
      contract: { version: "0.1.0" },
      "node_modules/tollgate-contract": { resolved: "contract", link: true },
      "node_modules/some": { version: "1.2.3", license: "MIT" },
    },
  }
  expect(readLock(JSON.stringify(lock)).map(({ path }) => path)).toEqual(["node_modules/some"])
})
