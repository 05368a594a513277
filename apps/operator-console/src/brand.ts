/** Whose service it is: the service has put both into the page. */
export const BRAND = {
  name: document.title,
  color: document.querySelector<HTMLMetaElement>('meta[name="theme-color"]')?.content,
};
