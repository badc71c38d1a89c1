// Only browsers without modules run this.
window.location.replace('/lowversion');
