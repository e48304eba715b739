import { Alert, Button, Group, Stack, Text } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api } from "../../api/client.ts"
import { oneQuery } from "../../api/queries.ts"
import { refresh } from "../../api/refresh.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { NewerPrices } from "./newer-prices.tsx"
import { priceWords } from "./prices.ts"
import { rich, t } from "../../languages/text.ts"

/** Maximum number of models that the notice lists. */
const MAX_NAMES = 5

/** Notices through which operators review pending prices. */
export function PriceNotices() {
  return (
    <>
      <NewerPrices />
      <NewerModels />
    </>
  )
}

/** Lists requested models that are newer than the price list. Renders nothing if there are no such models. */
function NewerModels() {
  const { data } = useQuery(oneQuery("GET /models/newer", {}))
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const models = data?.data ?? []
  if (models.length === 0) return null

  async function offer() {
    setBusy(true)
    setError(null)
    try {
      await api("PATCH /settings", { body: { unknown_models: "family" } })
      notifyDone(t("Newer models are offered at the price of their family."))
      await refresh("/models", "/settings")
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Alert
      variant="light"
      color="yellow"
      title={t("Callers requested models that are newer than the price list")}
    >
      <Stack gap="xs">
        {models.slice(0, MAX_NAMES).map(({ id, requests, price }) => (
          <Text key={id} size="sm">
            {rich(
              "{id}: {requests, plural, one {# request} other {# requests}} rejected. Highest price of its family: {price} credits per million.",
              {
                id: <span className="mono anywhere">{id}</span>,
                requests,
                price: priceWords(price),
              },
            )}
          </Text>
        ))}
        <Group justify="space-between" gap="sm">
          <Text size="sm">
            {models.length > MAX_NAMES && (
              <>{t("And {count} more.", { count: models.length - MAX_NAMES })} </>
            )}
            {t(
              "You can offer every such model at the highest price of its family until a price list has it. If the provider charges more, you pay the difference.",
            )}
          </Text>
          <Button size="xs" variant="default" loading={isBusy} onClick={() => void offer()}>
            {t("Offer newer models")}
          </Button>
        </Group>
        <ErrorNotice error={error} />
      </Stack>
    </Alert>
  )
}
