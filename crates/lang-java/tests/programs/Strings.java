class Strings {
    public static void main(String[] args) {
        String s = "hello";
        assert s.length() == 5 && s.charAt(1) == 'e' && s.hashCode() == 99162322 && s.indexOf('l') == 2 && s.equals("hel".concat("lo")) && s.substring(1, 3).equals("el") && s.compareTo("help") < 0;
        assert "a" == "a" && "a".equals(new String("a")) && new String("a") != "a" && new String("a").intern() == "a" && " x ".trim().equals("x");
        StringBuilder b = new StringBuilder(); for (int i = 0; i < 5; i++) b.append(i).append(',');
        assert b.toString().equals("0,1,2,3,4,") && b.reverse().charAt(0) == ','; b.setLength(2);
        b.insert(0, "z").deleteCharAt(1); assert b.toString().equals("z4");
        try { s.charAt(5); assert false; } catch (StringIndexOutOfBoundsException e) { }
        assert Integer.parseInt("-42") == -42 && String.valueOf(new char[] {'o', 'k'}).equals("ok") && "Ab".toUpperCase().equals("AB") && "a,b".split(",").length == 2 && "x".repeat(3).equals("xxx") && String.join("-", "a", "b").equals("a-b") && "abcabc".replace("bc", "d").equals("adad");
        try { Integer.parseInt("x"); assert false; } catch (NumberFormatException e) { }
    }
}
