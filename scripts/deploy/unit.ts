import { readFileSync } from "node:fs"
import { graceFaults, readSettings } from "./gateway-settings.ts"

/**
 * Required lines of the systemd unit. Without them, the gateway would be less isolated, or would be killed together
 * with its workers.
 */
const REQUIRED: Readonly<Record<string, string>> = {
  ExecStart: "/opt/tollgate/dist/tollgate serve",
  KillMode: "mixed",
  Restart: "always",
  User: "tollgate",
  RemoveIPC: "yes",
  RestrictSUIDSGID: "yes",
  NoNewPrivileges: "yes",
  CapabilityBoundingSet: "",
  ProtectSystem: "strict",
  ProtectHome: "yes",
  PrivateDevices: "yes",
  PrivateTmp: "yes",
  RestrictAddressFamilies: "AF_INET AF_INET6 AF_UNIX",
}
const SECTIONS = ["Unit", "Service", "Install"]
const DIRECTIVE = /^([A-Z][A-Za-z]+)=(.*)$/

/** Returns the faults of the systemd unit. */
export function checkUnit(path: string): string[] {
  const faults: string[] = []
  const sections: string[] = []
  const directives: [string, string][] = []
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line === "" || line.startsWith("#")) continue
    const [, section] = /^\[(\w+)\]$/.exec(line) ?? []
    const [, name, value = ""] = DIRECTIVE.exec(line) ?? []
    if (section !== undefined) sections.push(section)
    else if (name !== undefined) directives.push([name, value])
    else faults.push(`'${line}' is not a directive`)
  }
  if (sections.join() !== SECTIONS.join())
    faults.push(`its sections must be ${SECTIONS.join(", ")}`)
  const all = new Map(directives)
  for (const [name, value] of Object.entries(REQUIRED)) {
    if (all.get(name) !== value) faults.push(`${name} must be '${value}'`)
  }
  const variables = directives
    .filter(([name]) => name === "Environment")
    .map(([, pair]) => pair.split("=", 2))
  const read = readSettings(Object.fromEntries(variables))
  faults.push(...read.faults)
  if (read.settings) faults.push(...graceFaults(read.settings, all.get("TimeoutStopSec") ?? "90s"))
  return faults
}
