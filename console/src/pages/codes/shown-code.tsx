import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core"
import type { Code, CodeWithText } from "tollgate-contract/codes.ts"
import { saveCsv } from "../../ui/save-csv.ts"
import { Money } from "../../ui/money.tsx"
import { SHOWN_ONCE } from "../../ui/shown-once.ts"
import { Snippet } from "../../ui/snippet.tsx"
import { rich, t } from "../../languages/text.ts"

export interface ShownCodeProperties {
  /** New codes that were created together. */
  readonly shown: readonly CodeWithText[] | undefined
  readonly onClose: () => void
}

/** Shows new codes. They cannot be shown again. */
export function ShownCode({ shown = [], onClose }: ShownCodeProperties) {
  const [first] = shown
  const isOne = shown.length === 1
  const worth = { credits: <Money value={first?.credits ?? "0"} hasUnit />, uses: first?.uses ?? 1 }
  return (
    <Modal
      opened={first !== undefined}
      onClose={onClose}
      title={isOne ? t("Your code") : t("Your {count} codes", { count: shown.length })}
      {...SHOWN_ONCE}
    >
      {first !== undefined && (
        <Stack>
          <Snippet
            code={shown.map(({ code }) => code).join("\n")}
            label={isOne ? t("Copy code") : t("Copy all codes")}
            maxHeight={240}
          />
          <Text size="sm">
            {isOne
              ? rich(
                  "Worth {credits} for {uses, plural, one {one account} other {each of # accounts}}.",
                  worth,
                )
              : rich(
                  "Each is worth {credits} for {uses, plural, one {one account} other {each of # accounts}}.",
                  worth,
                )}
          </Text>
          <Alert variant="light" color="yellow">
            {isOne
              ? t("Copy it now. Only a hash is stored, so it cannot be shown again.")
              : t(
                  "Copy or download them now. Only hashes are stored, so they cannot be shown again.",
                )}
          </Alert>
          <Group justify="flex-end" gap="xs">
            {!isOne && (
              <Button variant="default" onClick={() => saveCodes(shown)}>
                {t("Download CSV")}
              </Button>
            )}
            <Button onClick={onClose}>
              {isOne ? t("I have copied it") : t("I have copied them")}
            </Button>
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
