import { useCallback, useRef } from 'react';

/** As near to the end counts as at it. */
const NEAR_PX = 40;

/**
 * Keeps the end of what grows in sight, unless the reader has scrolled up to read. `box` scrolls, and `content` is
 * the one element in it.
 */
export function useStickToBottom() {
  const state = useRef<{ box: HTMLElement; isStuck: boolean; topPx: number } | undefined>(undefined);
  const toBottom = () => {
    if (state.current) state.current.box.scrollTop = state.current.box.scrollHeight;
  };
  const box = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const own = { box: element, isStuck: true, topPx: 0 };
    state.current = own;
    const onScroll = () => {
      const { scrollHeight, scrollTop, clientHeight } = element;
      if (scrollHeight - scrollTop - clientHeight < NEAR_PX) own.isStuck = true;
      // The content may have grown further since this began to scroll down.
      else if (scrollTop < own.topPx) own.isStuck = false;
      own.topPx = scrollTop;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, []);
  const content = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      if (state.current?.isStuck) toBottom();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  /** For what the reader asks for now. */
  const stick = () => {
    if (state.current) state.current.isStuck = true;
    toBottom();
  };
  return { box, content, stick };
}
