set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Ideal-802.11g.eps"
set title "Results for 802.11g with Ideal\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [-6:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11g-rate selected" with lines, "-"  title "802.11g-observed" with lines
27 54
26 54
25 54
24 54
23 54
22 54
21 54
20 54
19 48
18 48
17 36
16 36
15 36
14 36
13 24
12 24
11 24
10 18
9 18
8 18
7 18
6 12
5 12
4 9
3 6
2 6
1 1
0 1
-1 1
-2 1
-3 1
-4 1
-5 1
e
27 18.8088
26 19.0136
25 19.0628
24 18.9399
23 18.9071
22 19.0628
21 19.284
20 19.0382
19 18.2682
18 17.9814
17 15.958
16 15.958
15 16.0154
14 16.0891
13 13.099
12 13.0417
11 13.099
10 10.9363
9 10.9937
8 10.8954
7 10.7643
6 8.35584
5 8.32307
4 6.5536
3 4.8087
2 4.78413
1 0.90112
0 0.008192
-1 0
-2 0
-3 0
-4 0
-5 0
e
