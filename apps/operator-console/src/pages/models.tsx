import { PageHead } from '@farebox/ui/states';
import { Stack, Tabs } from '@mantine/core';
import { CatalogueChange } from '../parts/catalogue-change';
import { CataloguePrices } from '../parts/catalogue-prices';
import { CatalogueVersions } from '../parts/catalogue-versions';
import { ServiceUpstreams } from '../parts/service-upstreams';
import { useChosen } from '../parts/use-chosen';

const TABS = [
  { value: 'prices', label: 'Prices', Tab: CataloguePrices },
  { value: 'upstreams', label: 'Upstreams', Tab: ServiceUpstreams },
  { value: 'change', label: 'Change', Tab: CatalogueChange },
  { value: 'versions', label: 'Versions', Tab: CatalogueVersions },
];

export function Page() {
  const [{ tab = 'prices' }, choose] = useChosen();
  return (
    <>
      <PageHead
        title="Models and upstreams"
        lead="The catalogue: what is sold at which price, and who answers."
      />
      <Tabs
        value={tab}
        onChange={(value) => choose({ tab: value === 'prices' ? undefined : (value ?? undefined) })}
      >
        <Tabs.List mb="lg">
          {TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(({ value, Tab }) => (
          <Tabs.Panel key={value} value={value}>
            {tab === value && (
              <Stack gap="lg">
                <Tab />
              </Stack>
            )}
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}
