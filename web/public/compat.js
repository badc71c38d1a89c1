// Runs in any browser, before any bundle: those that cannot run the console get a page that says so.
(function () {
  var able =
    'noModule' in document.createElement('script') &&
    typeof window.structuredClone === 'function' &&
    typeof Array.prototype.findLast === 'function' &&
    typeof window.EventSource === 'function' &&
    !!(window.AbortSignal && window.AbortSignal.timeout) &&
    !!(window.CSS && CSS.supports && CSS.supports('aspect-ratio', '1') && CSS.supports('selector(:has(a))'));
  if (!able) window.location.replace('/lowversion');
})();
