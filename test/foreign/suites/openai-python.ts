import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { cleanEnvironment } from "../../support/process.ts"
import { install, interpreterOf } from "../install.ts"
import { type Check, type Row, readChecks, rowOf, skippedRow } from "../outcomes.ts"
import { checkOut } from "../sources.ts"
import type { Target } from "../target.ts"
import { startAdapting } from "./adapting-proxy.ts"
import { MODELS } from "./models.ts"

const NAME = "openai-python-tests"
const VERSION = "3.54.0"
const SOURCE = {
  repository: "openai/openai-python",
  commit: "e43b422412a9e96c9cc5192c61fffbe2d7e04836",
}
const CLIENT = {
  name: NAME,
  language: "python",
  packages: [
    `openai[aiohttp]==${VERSION}`,
    "pytest==9.1.1",
    "pytest-asyncio==1.4.0",
    "inline-snapshot==0.36.1",
  ],
  checks: "",
} as const

/** Files that the tests need, and the tests of endpoints that the gateway offers. */
const SHARED = ["__init__.py", "conftest.py", "utils.py", "respx2", "api_resources/__init__.py"]
const CHATS = ["api_resources/chat/test_completions.py", "api_resources/test_responses.py"]
const OTHERS = [
  "audio/test_transcriptions.py",
  "audio/test_translations.py",
  "test_embeddings.py",
  "test_images.py",
  "test_models.py",
].map((file) => `api_resources/${file}`)
const FILES = [...CHATS, ...OTHERS]
const OFFERED = "create or edit or generate or list or compact"

const PLUGIN = "report_checks"
const SETTINGS =
  "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = session\npythonpath = .\n"

/** Runs the tests of OpenAI's Python client for endpoints that the gateway offers, with the published client. */
export async function openaiPython(root: string, target: Target): Promise<Row> {
  const source = checkOut(root, SOURCE)
  if ("problem" in source) return skippedRow(NAME, VERSION, source.problem)
  const problem = install(root, CLIENT)
  if (problem !== undefined) return skippedRow(NAME, VERSION, problem)
  const folder = join(root, NAME)
  copyTests(source.folder, folder)
  const checks: Check[] = []
  for (const [index, model] of MODELS.entries()) {
    const found = await runTests(folder, target, { model, files: index === 0 ? FILES : CHATS })
    checks.push(...found.map((check) => ({ ...check, name: `${model} ${check.name}` })))
  }
  return rowOf(NAME, VERSION, checks)
}

function copyTests(source: string, folder: string): void {
  for (const file of [...SHARED, ...FILES].map((one) => join("tests", one))) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    cpSync(join(source, file), join(folder, file), { recursive: true })
  }
  const plugin = Bun.fileURLToPath(new URL(`${PLUGIN}.py`, import.meta.url))
  cpSync(plugin, join(folder, `${PLUGIN}.py`))
  writeFileSync(join(folder, "pytest.ini"), SETTINGS)
}

interface Run {
  readonly model: string
  readonly files: readonly string[]
}

async function runTests(
  folder: string,
  target: Target,
  { model, files }: Run,
): Promise<readonly Check[]> {
  await using proxy = startAdapting(target, model)
  const report = join(folder, "report.txt")
  rmSync(report, { force: true })
  const paths = files.map((file) => join("tests", file))
  const child = Bun.spawn(
    [interpreterOf(CLIENT), "-m", "pytest", "-q", "-p", PLUGIN, "-k", OFFERED, ...paths],
    {
      cwd: folder,
      env: cleanEnvironment({
        TEST_API_BASE_URL: `${proxy.url}/v1`,
        TOLLGATE_REPORT: report,
        PYTHONPATH: folder,
      }),
      stdout: "pipe",
      stderr: "ignore",
    },
  )
  const output = await new Response(child.stdout).text()
  if (existsSync(report)) return readChecks(readFileSync(report, "utf8"))
  return [{ name: "run", outcome: "failed", reason: output.trim().split("\n").at(-1) ?? "" }]
}
