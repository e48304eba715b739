import { Group, ScrollArea, Skeleton, Stack, Text, TextInput, UnstyledButton } from "@mantine/core"
import { IconChevronRight, IconSearch } from "../../ui/icons.tsx"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { Vendor } from "tollgate-contract/catalog.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { MarkedProvider } from "../../ui/provider-mark.tsx"
import { findVendors } from "./provider-form.ts"
import { vendorsQuery } from "./vendors-query.ts"
import { t } from "../../languages/text.ts"

/** Selects a known vendor, with a search by name. */
export function VendorChoice({ onChoose }: { readonly onChoose: (vendor: Vendor) => void }) {
  const { data, isPending, error, refetch } = useQuery(vendorsQuery)
  const [search, setSearch] = useState("")
  const found = findVendors(data ?? [], search)
  return (
    <Stack gap="sm">
      <TextInput
        data-autofocus
        aria-label={t("Search vendors")}
        placeholder={t("Search vendors")}
        leftSection={<IconSearch size={16} />}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found
          if (event.key === "Enter" && first !== undefined) onChoose(first)
        }}
      />
      <ErrorNotice error={error} retry={() => void refetch()} />
      {isPending && <Skeleton height={240} />}
      <ScrollArea.Autosize mah={360} type="auto">
        <Stack gap={2} pr="xs">
          {found.map((vendor) => (
            <UnstyledButton
              key={vendor.id}
              className="vendor-choice"
              onClick={() => onChoose(vendor)}
            >
              <Group justify="space-between" wrap="nowrap" gap="md">
                <Text size="sm" fw={500}>
                  <MarkedProvider provider={vendor.id} vendor={vendor.id}>
                    {vendor.name}
                  </MarkedProvider>
                </Text>
                <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
                  <Text size="xs" c="dimmed" truncate visibleFrom="sm">
                    {vendor.base_url ?? t("your own address")}
                  </Text>
                  <IconChevronRight size={16} aria-hidden />
                </Group>
              </Group>
            </UnstyledButton>
          ))}
        </Stack>
      </ScrollArea.Autosize>
      {data !== undefined && found.length === 0 && (
        <Text size="sm" c="dimmed">
          {t(
            'No vendor with that name. If it uses OpenAI\'s format, add it as "OpenAI-compatible server".',
          )}
        </Text>
      )}
    </Stack>
  )
}
