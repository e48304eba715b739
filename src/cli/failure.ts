import { CommanderError } from "commander"
import { type ErrorKind, GatewayError } from "../canon/errors.ts"
import { ConfigError, type ConfigProblem } from "../config/config-error.ts"
import { LedgerError, type LedgerFault } from "../store/ledger-error.ts"
import { FeedError } from "../catalog/prices/feed-error.ts"
import { CommandError, EXIT_CODES, type FailureCode } from "./exit-codes.ts"
import { styleOf } from "./output.ts"
import { printableJson, printableLines } from "./printable.ts"
import type { Terminal } from "./terminal.ts"
import { systemCode } from "./system-code.ts"

/** The error of a command in a form that can be printed. */
export interface Failure {
  readonly message: string
  readonly code: string
  readonly hint?: string
  readonly problems?: readonly ConfigProblem[]
  readonly exitCode: number
}

/** Converts any thrown value to a failure that can be printed. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof CommandError) {
    const { code, message, hint } = thrown
    return failure(code, { message, code, ...(hint === undefined ? {} : { hint }) })
  }
  if (thrown instanceof ConfigError) {
    const { message, problems } = thrown
    const hint = "Correct the settings and run the command again."
    return failure("configuration", { message, code: "configuration", hint, problems })
  }
  if (thrown instanceof GatewayError) {
    return failure(gatewayExit(thrown.kind), { message: thrown.message, code: thrown.kind })
  }
  if (thrown instanceof FeedError) {
    const message = `the price list was rejected: ${thrown.message}`
    return failure("failed", { message, code: "price_list_rejected" })
  }
  if (thrown instanceof LedgerError) return ledgerFailure(thrown)
  if (thrown instanceof CommanderError) return usageFailure(thrown)
  return unforeseenFailure(thrown)
}

function failure(code: FailureCode, shown: Omit<Failure, "exitCode">): Failure {
  return { ...shown, exitCode: EXIT_CODES[code] }
}

function gatewayExit(kind: ErrorKind): FailureCode {
  if (kind === "not_found" || kind === "model_not_found") return "not_found"
  if (kind === "conflict") return "conflict"
  return kind.startsWith("invalid_") && kind !== "invalid_api_key" ? "usage" : "failed"
}

/** Parses a message of commander. It starts with `error: `, and a suggestion is in parentheses on the next line. */
function usageFailure(error: CommanderError): Failure {
  const [message = "", guess] = error.message.replace(/^error: /, "").split("\n")
  const hint =
    guess?.replace(/^\((.*)\)$/, "$1") ?? "Add --help to see the arguments of the command."
  return failure("usage", { message, code: "usage", hint })
}

const LEDGER_HINTS: Readonly<Partial<Record<LedgerFault, string>>> = {
  missing:
    "Restore tollgate.db from a backup, with tollgate.db-wal if it has one. To start a new, empty ledger instead: tollgate serve --new-ledger",
  without_secrets:
    "Restore the folder 'secrets' from a backup, or set TOLLGATE_SECRET as it was. If there is none: put 64 random hexadecimal digits into secrets/key-pepper, then rotate every key and give providers their keys again.",
  damaged:
    "Stop the gateway, keep a copy of the whole data folder, and restore the last backup. 'tollgate ledger verify --data FOLDER' checks the ledger in a folder.",
  unavailable:
    "A folder: make it writable for this user, free some space, or choose another one with --data. A server: check that it runs, and that its address, user and password are right.",
  unfinished: "Empty it, and run 'tollgate database copy' or 'tollgate restore' again.",
  not_found: "Set --data to the folder that contains tollgate.db.",
}

const GONE: ReadonlySet<LedgerFault> = new Set(["not_found", "missing", "without_secrets"])

function ledgerFailure({ code, message }: LedgerError): Failure {
  const hint = LEDGER_HINTS[code]
  const exit = GONE.has(code) ? "not_found" : "failed"
  return failure(exit, { message, code: exit, ...(hint === undefined ? {} : { hint }) })
}

const SYSTEM_HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "Stop the program that uses the port, or choose another with TOLLGATE_PORT.",
  EACCES: "Run as a user who may use it, or choose another path.",
  EROFS: "Choose a data directory that can be written to, with --data.",
  ENOSPC: "Free some space on the disk.",
}

function unforeseenFailure(thrown: unknown): Failure {
  const message = thrown instanceof Error && thrown.message !== "" ? thrown.message : String(thrown)
  const code = systemCode(thrown)
  const hint = Object.hasOwn(SYSTEM_HINTS, code) ? SYSTEM_HINTS[code] : undefined
  const fallback = "Set TOLLGATE_DEBUG=1 to print the stack."
  return failure("failed", { message, code: "failed", hint: hint ?? fallback })
}

/** Prints a failure as text, or as a JSON document on the error stream. */
export function showFailure(thrown: unknown, terminal: Terminal, isJson: boolean): void {
  const { exitCode: _exitCode, ...shown } = failureOf(thrown)
  const stack = terminal.isDebugging ? stackOf(thrown) : undefined
  if (isJson) {
    const json = JSON.stringify({ error: { ...shown, stack } }, undefined, 2)
    terminal.writeNotice(`${printableJson(json)}\n`)
    return
  }
  const { isNoticeColored } = terminal
  const { strong, alarm } = styleOf(isNoticeColored)
  const write = (text: string) => {
    terminal.writeNotice(`${printableLines(text, isNoticeColored)}\n`)
  }
  write(`${alarm("error:")} ${shown.message}`)
  if (shown.hint !== undefined) write(`${strong("hint:")} ${shown.hint}`)
  if (stack !== undefined) write(stack)
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const own = thrown.stack ?? String(thrown)
  return thrown.cause === undefined ? own : `${own}\ncaused by ${stackOf(thrown.cause)}`
}
