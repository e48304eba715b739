import { Button, Group, Modal, SegmentedControl, SimpleGrid, Stack, TextInput } from "@mantine/core"
import { useState } from "react"
import { addressOf } from "../../api/address.ts"
import { utcDay } from "../../format/moments.ts"
import type { CreditsModalProperties } from "./redeem-modal.tsx"

const FORMATS = [
  { value: "csv", label: "CSV, for a spreadsheet" },
  { value: "json", label: "JSON" },
] as const

/** Downloads all ledger entries within a range of days. */
export function StatementModal({ account, isOpen, onClose }: CreditsModalProperties) {
  const [from, setFrom] = useState(() => `${utcDay().slice(0, 8)}01`)
  const [to, setTo] = useState(() => utcDay())
  const [format, setFormat] = useState<(typeof FORMATS)[number]["value"]>("csv")
  const fault = faultOf(from, to)
  const address = addressOf("GET /accounts/{id}/statement", {
    path: { id: account.id },
    query: { from, to, format },
  })
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Statement of ${account.name}`}>
      <Stack>
        <SimpleGrid cols={2}>
          <TextInput
            label="From"
            type="date"
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
            data-autofocus
          />
          <TextInput
            label="To"
            type="date"
            description="Days in UTC, inclusive"
            inputWrapperOrder={["label", "input", "error", "description"]}
            value={to}
            error={fault}
            onChange={(event) => setTo(event.currentTarget.value)}
          />
        </SimpleGrid>
        <SegmentedControl
          aria-label="Format"
          data={[...FORMATS]}
          value={format}
          onChange={setFormat}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {fault === null ? (
            <Button component="a" href={address} download onClick={onClose}>
              Download
            </Button>
          ) : (
            <Button disabled>Download</Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

function faultOf(from: string, to: string): string | null {
  if (from === "" || to === "") return "Enter both dates"
  return from > to ? "The last day must not be before the first" : null
}
