import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core"
import type { Code, CodeWithText } from "tollgate-contract/codes.ts"
import { saveCsv } from "../../format/csv.ts"
import { counted } from "../../format/numbers.ts"
import { Money } from "../../ui/money.tsx"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { Snippet } from "../../ui/snippet.tsx"

export interface ShownCodeProperties {
  /** New codes that were created together. */
  readonly shown: readonly CodeWithText[] | undefined
  readonly onClose: () => void
}

/** Shows new codes. They cannot be shown again. */
export function ShownCode({ shown = [], onClose }: ShownCodeProperties) {
  const [first] = shown
  const isOne = shown.length === 1
  return (
    <Modal
      opened={first !== undefined}
      onClose={onClose}
      title={isOne ? "Your code" : `Your ${shown.length} codes`}
      {...SHOWN_ONCE}
    >
      {first !== undefined && (
        <Stack>
          <Snippet
            code={shown.map(({ code }) => code).join("\n")}
            label={isOne ? "Copy code" : "Copy all codes"}
            maxHeight={240}
          />
          <Text size="sm">
            {isOne ? "Worth" : "Each is worth"} <Money value={first.credits} hasUnit /> for{" "}
            {first.uses === 1 ? "one account" : `each of ${counted(first.uses, "account")}`}.
          </Text>
          <Alert variant="light" color="yellow">
            {isOne
              ? "Copy it now. Only a hash is stored, so it cannot be shown again."
              : "Copy or download them now. Only hashes are stored, so they cannot be shown again."}
          </Alert>
          <Group justify="flex-end" gap="xs">
            {!isOne && (
              <Button variant="default" onClick={() => saveCodes(shown)}>
                Download CSV
              </Button>
            )}
            <Button onClick={onClose}>I have copied {isOne ? "it" : "them"}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  )
}

function saveCodes(codes: readonly CodeWithText[]) {
  const rows = codes.map((code) => [code.code, ...factsOf(code)])
  saveCsv("codes.csv", [["code", ...FACTS], ...rows])
}

const FACTS = ["credits", "accounts", "redeemed", "status", "expires", "note"]

function factsOf({ credits, uses, used, status, expires_at: expiresAt, note }: Code) {
  return [credits, uses, used, status, expiresAt ?? "", note ?? ""]
}

/** Returns all codes as spreadsheet rows, with only the last characters of each code. */
export function codeRows(codes: readonly Code[]): (string | number)[][] {
  return [
    ["ends in", ...FACTS, "created", "by"],
    ...codes.map((code) => [code.hint, ...factsOf(code), code.created_at, code.author ?? ""]),
  ]
}
