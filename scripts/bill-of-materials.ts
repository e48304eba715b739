import { readFileSync } from "node:fs"

/**
 * Build tools of the console, which are not part of the built console. All dependencies of the console are development
 * dependencies, because it is built once.
 */
const CONSOLE_TOOLS = /^(vite|@vitejs\/.*|@types\/.*)$/

interface Component {
  readonly "bom-ref": string
  readonly purl: string
}

/** The fields of npm's CycloneDX document that this script reads. */
interface Bill {
  readonly bomFormat: string
  readonly metadata: { readonly component: Component }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

/**
 * Returns the contents of an executable in CycloneDX form, according to the lock file: the libraries of the gateway and
 * of its console, and Bun. npm can only omit development dependencies. That would also omit the console's libraries,
 * and libraries that are development dependencies in only one of our packages.
 * @throws if npm cannot create the document.
 */
export async function billOfMaterials(): Promise<Bill> {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]
  const child = Bun.spawn(["npm", ...words], { stdout: "pipe", stderr: "pipe" })
  const [text, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (exitCode !== 0) throw new Error(`npm sbom failed: ${errors}`)
  const bill = JSON.parse(text) as Bill
  const root = bill.metadata.component["bom-ref"]
  const links = new Map(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
  // Only some dependencies of our own packages are included, but all dependencies of other packages.
  const console = bill.components.find(({ purl }) => purl.startsWith("pkg:npm/tollgate-console@"))
  if (console === undefined) throw new Error("the lock file has no tollgate-console")
  const ownNames = new Set(Object.keys(readPackage("package.json").dependencies ?? {}))
  const ownLinks = (links.get(root) ?? []).filter((ref) => ownNames.has(nameOf(ref)))
  links.set(root, [...ownLinks, console["bom-ref"]])
  const builtIn = (links.get(console["bom-ref"]) ?? []).filter(
    (ref) => !CONSOLE_TOOLS.test(nameOf(ref)),
  )
  links.set(console["bom-ref"], builtIn)
  const reached = new Set([root])
  for (const ref of reached) for (const next of links.get(ref) ?? []) reached.add(next)
  return {
    ...bill,
    components: bill.components.filter((component) => reached.has(component["bom-ref"])),
    dependencies: [...links]
      .filter(([ref]) => reached.has(ref))
      .map(([ref, dependsOn]) => ({ ref, dependsOn })),
  }
}

/** @param ref a reference such as `@noble/ciphers@2.4.0`. */
function nameOf(ref: string): string {
  return ref.slice(0, ref.lastIndexOf("@"))
}

function readPackage(path: string): { readonly dependencies?: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(path, "utf8")) as { dependencies?: Record<string, string> }
}
