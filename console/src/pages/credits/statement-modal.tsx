import "@mantine/core/styles/Radio.css"
import { Button, Group, Modal, Radio, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import { addressOf } from "../../api/address.ts"
import { CALENDAR_RANGES, calendarDays } from "../../format/days.ts"
import type { CreditsModalProperties } from "./redeem-modal.tsx"
import { t } from "../../languages/text.ts"

const FORMATS = [
  { value: "totals", label: t("Totals, CSV") },
  { value: "csv", label: t("Entries, CSV") },
  { value: "json", label: t("Entries, JSON") },
  { value: "html", label: t("Print") },
] as const
type Format = (typeof FORMATS)[number]["value"]

/** The parameters of each format. */
const QUERIES = {
  totals: { format: "csv", content: "totals" },
  csv: { format: "csv", content: "entries" },
  json: { format: "json", content: "entries" },
  html: { format: "html", content: "totals" },
} as const

interface StatementModalProperties extends Omit<CreditsModalProperties, "account"> {
  /** The account; undefined for an archive with the statements of all accounts. */
  readonly account: CreditsModalProperties["account"] | undefined
}

/** Downloads or prints the ledger entries of a range of days, or their totals by kind, model and key. */
export function StatementModal({ account, isOpen, onClose }: StatementModalProperties) {
  const [days, setDays] = useState(() => calendarDays("month", Date.now()))
  const [format, setFormat] = useState<Format>("totals")
  const fault = faultOf(days.from, days.to)
  const query = { ...days, ...QUERIES[format] }
  const address =
    account === undefined
      ? addressOf("GET /statements", { query })
      : addressOf("GET /accounts/{id}/statement", { path: { id: account.id }, query })
  const formats = FORMATS.filter(({ value }) => account !== undefined || value !== "html")
  const title =
    account === undefined
      ? t("Statements of all accounts")
      : t("Statement of {name}", { name: account.name })
  const isPage = format === "html"
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <Group gap="xs" role="group" aria-label={t("Range of days")}>
          {CALENDAR_RANGES.map(({ value, label }) => (
            <Button
              key={value}
              size="compact-sm"
              variant="default"
              onClick={() => setDays(calendarDays(value, Date.now()))}
            >
              {label}
            </Button>
          ))}
        </Group>
        <DayFields days={days} fault={fault} onChange={setDays} />
        <Radio.Group
          label={t("Format")}
          value={format}
          onChange={(value) =>
            setFormat(FORMATS.find((each) => each.value === value)?.value ?? format)
          }
        >
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
            {formats.map(({ value, label }) => (
              <Radio key={value} value={value} label={label} />
            ))}
          </SimpleGrid>
        </Radio.Group>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          {fault === null ? (
            <Button
              component="a"
              href={address}
              {...(isPage ? { target: "_blank", rel: "noreferrer" } : { download: true })}
              onClick={onClose}
            >
              {isPage ? t("Open the page") : t("Download")}
            </Button>
          ) : (
            <Button disabled>{isPage ? t("Open the page") : t("Download")}</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

interface Days {
  readonly from: string
  readonly to: string
}

interface DayFieldsProperties {
  readonly days: Days
  readonly fault: string | null
  readonly onChange: (days: Days) => void
}

function DayFields({ days, fault, onChange }: DayFieldsProperties) {
  return (
    <SimpleGrid cols={2}>
      <TextInput
        label={t("From")}
        type="date"
        value={days.from}
        onChange={(event) => onChange({ ...days, from: event.currentTarget.value })}
        data-autofocus
      />
      <TextInput
        label={t("To")}
        type="date"
        description={t("Days in UTC, inclusive")}
        inputWrapperOrder={["label", "input", "error", "description"]}
        value={days.to}
        error={fault}
        onChange={(event) => onChange({ ...days, to: event.currentTarget.value })}
      />
    </SimpleGrid>
  )
}

function faultOf(from: string, to: string): string | null {
  if (from === "" || to === "") return t("Enter both dates")
  return from > to ? t("The last day must not be before the first") : null
}
