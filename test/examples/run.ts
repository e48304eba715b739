/** Timeout of a step, installations included. */
const TIMEOUT_MS = 600_000

/**
 * Runs a command.
 * @returns its standard output.
 * @throws an error with the end of the output if the command fails.
 */
export async function run(
  command: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) === 0) return output
  const said = `${output}${errors}`.trim().slice(-500)
  throw new Error(`${command.slice(0, 3).join(" ")} failed: ${said}`)
}

/**
 * Asserts that a text contains all parts.
 * @throws otherwise.
 */
export function expectParts(text: string, parts: readonly (string | RegExp)[]): void {
  for (const part of parts) {
    const isThere = typeof part === "string" ? text.includes(part) : part.test(text)
    if (!isThere) throw new Error(`'${part}' is not in the output: ${text.slice(-500)}`)
  }
}

/** Installs packages from npm into a folder. */
export async function installFromNpm(folder: string, ...packages: string[]): Promise<void> {
  const home = { HOME: process.env["HOME"] ?? "" }
  await run(["npm", "install", "--no-audit", "--no-fund", ...packages], folder, home)
}
