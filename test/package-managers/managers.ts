/** A package manager in an exact version. */
export interface PackageManager {
  readonly name: string
  /** The package that contains the package manager. Absent for npm and Bun, which this project already uses. */
  readonly package?: string
  /** The command that starts the package manager. */
  readonly command: readonly string[]
  /** The arguments that install Tollgate into the current folder. */
  readonly install: readonly string[]
  /** The words before `tollgate` that run the installed program. */
  readonly run: readonly string[]
  /** Files in the folder in which Tollgate is installed. */
  readonly files?: Readonly<Record<string, string>>
  /** The expected error for a layout in which Tollgate cannot run. */
  readonly rejection?: string
}

const PNPM = ["node", "pnpm/bin/pnpm.mjs"]
const YARN_4 = ["node", "@yarnpkg/cli-dist/bin/yarn.js"]
const YARN_4_PACKAGE = "@yarnpkg/cli-dist@4.18.1"

/** Package managers that can install Tollgate. A path is relative to the folder with their packages. */
export const MANAGERS: readonly PackageManager[] = [
  {
    name: "npm",
    command: ["npm"],
    install: ["install", "tollgate"],
    run: ["exec", "--no", "--"],
  },
  {
    name: "npm without install scripts",
    command: ["npm"],
    install: ["install", "--ignore-scripts", "tollgate"],
    run: ["exec", "--no", "--"],
  },
  {
    name: "pnpm",
    package: "pnpm@12.21.0",
    command: PNPM,
    install: ["add", "--config.strictDepBuilds=false", "tollgate"],
    run: ["exec"],
  },
  {
    name: "Yarn 1",
    package: "yarn@1.22.22",
    command: ["node", "yarn/bin/yarn.js"],
    install: ["add", "tollgate"],
    run: ["--silent", "run"],
  },
  {
    name: "Yarn 4",
    package: YARN_4_PACKAGE,
    command: YARN_4,
    install: ["add", "tollgate"],
    run: ["run"],
    files: { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n" },
  },
  {
    name: "Yarn 4 with Plug'n'Play",
    package: YARN_4_PACKAGE,
    command: YARN_4,
    install: ["add", "tollgate"],
    run: ["run"],
    files: { "yarn.lock": "", ".yarnrc.yml": "nodeLinker: pnp\n" },
    rejection: "nodeLinker: node-modules",
  },
  {
    name: "Bun",
    command: [process.execPath],
    install: ["add", "tollgate"],
    run: ["run"],
  },
]
